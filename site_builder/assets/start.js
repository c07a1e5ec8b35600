"use strict";

tilewise.start();
