"use strict";

startFormula();
