// The checks of Puppeteer, in the modules of the folder of that name.
import "./puppeteer/pages.mjs";
import "./puppeteer/input.mjs";
import "./puppeteer/script.mjs";
import "./puppeteer/events.mjs";
import "./puppeteer/view.mjs";
import { run } from "./support.mjs";

run("puppeteer");
