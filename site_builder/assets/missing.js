/** Says which page of the app a link led to, as text. */

"use strict";

document.getElementById("missing-page").textContent = new URLSearchParams(location.search).get("page") ?? "";
