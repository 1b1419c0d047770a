// The call-graph page in a real browser: what is seen, clicked and typed, in both sizes and both themes.
//
//   node --test tests/web      with BACKEDGE_PROGRAM in the environment
// The browser is the distribution's Chromium, without a window and without a network: every request beyond the file
// itself fails a test, and so does every message on the console. As root Chromium starts only without its sandbox.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const program = process.env.BACKEDGE_PROGRAM;
const cases = fileURLToPath(new URL("../../cases", import.meta.url));

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/snap/bin/chromium"];
const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

let folder;
let browser;
const file = (name) => join(folder, name);

function backedge(...words) {
  const env = { ...process.env, HOME: folder, XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: join(folder, "config") };
  return execFileSync(program, words, { cwd: folder, env, encoding: "utf8", maxBuffer: 64 << 20, stdio: ["ignore", "pipe", "pipe"] });
}

/** Two agents that were told to ask each other; one of them then reads the same file again and again. */
function makeIncident() {
  writeFileSync(file("backedge.toml"), '[agent.order]\nabout = "orders"\n[agent.shipment]\nabout = "shipments"\n[limits.frame]\nmax_calls = 10\n');
  writeFileSync(file("notes.md"), "one\ntwo\nthree\n");
  const steps = [
    { calls: [{ tool: "list_files", args: {} }, { tool: "order", args: { task: "where is parcel 4711 of A-17?" } }], usage: { in: 1900, out: 60, cost_usd: 0.004 } },
    { agent: "order", calls: [{ tool: "shipment", args: { task: "find the parcel of order A-17" } }], usage: { in: 1400, out: 80, cost_usd: 0.003 } },
    { agent: "shipment", calls: [{ tool: "order", args: { task: "which parcel is of A-17?" } }], usage: { in: 1200, out: 70, cost_usd: 0.0025 } },
    { agent: "shipment", text: "The order desk must answer first." },
    { agent: "order", calls: [{ tool: "read_file", args: { path: "notes.md" } }], repeat: 3, usage: { in: 1400, out: 30, cost_usd: 0.003 } },
    { agent: "order", text: "Nobody knows." },
    { text: "It cannot be found." },
  ];
  writeFileSync(file("s.jsonl"), steps.map((s) => JSON.stringify(s)).join("\n") + "\n");
  backedge("run", "Where is the <b>parcel</b>?", "--model", "scripted:s.jsonl", "--quiet");
  backedge("graph", "last", "--out", "incident.html");
}

/** 2,000 calls of one agent, in the form of chat messages. */
function makeLarge() {
  const tools = ["read", "bash", "edit", "grep", "glob", "web", "list", "test", "fetch", "note", "plan", "todo", "write", "ask", "lint", "build"];
  const rows = [{ role: "user", content: "Bring all packages up to date" }];
  for (let n = 0; n < 2000; n++) {
    const args = JSON.stringify({ path: `src/p${(n * 7) % 41}.ts`, part: n % 3 });
    rows.push({ role: "assistant", content: "step", tool_calls: [{ id: `c${n}`, type: "function", function: { name: tools[(n * 5 + (n >> 4)) % tools.length], arguments: args } }] });
    rows.push({ role: "tool", tool_call_id: `c${n}`, content: `line ${n}\n`.repeat(1 + (n % 50)) });
  }
  writeFileSync(file("large.json"), JSON.stringify(rows));
  backedge("graph", "large.json", "--out", "large.html");
}

// Ubuntu has Chromium as a snap only, which no container can install: there ctest says that the test was skipped.
const found = BROWSERS.find((path) => existsSync(path));
if (!found && /^ID=ubuntu$/m.test(readFileSync("/etc/os-release", "utf8"))) {
  console.log(`skipped: no Chromium at ${BROWSERS.join(", ")}; snap install chromium brings it`);
  process.exit(77);
}

before(async () => {
  assert.ok(program, "BACKEDGE_PROGRAM must name the program");
  assert.ok(found, `no Chromium at ${BROWSERS.join(", ")}; scripts/setup installs it`);
  folder = mkdtempSync(join(tmpdir(), "backedge-page-"));
  makeIncident();
  makeLarge();
  const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({ executablePath: found, args });
});

after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** Opens a page, runs the steps, and holds it to silence on console and network. */
async function open(name, steps, { size = "desk", theme = "light", hash = "" } = {}) {
  const page = await browser.newPage({ viewport: SIZES[size], colorScheme: theme });
  const faults = [];
  page.on("console", (message) => faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(pathToFileURL(file(name)).href)) faults.push(`request: ${request.url()}`);
  });
  try {
    await page.goto(pathToFileURL(file(name)).href + hash);
    await page.waitForSelector(".canvas[data-drawn]");
    await steps(page);
    assert.deepEqual(faults, []);
  } finally {
    await page.close();
  }
}

const back = '.label.back[aria-label*="reentry.cycle"]';

async function inSight(page, selector) {
  const box = await page.locator(selector).boundingBox();
  const stage = await page.locator(".stage").boundingBox();
  return box !== null && box.x >= stage.x && box.y >= stage.y && box.x + box.width <= stage.x + stage.width && box.y + box.height <= stage.y + stage.height;
}

for (const size of Object.keys(SIZES)) {
  for (const theme of ["light", "dark"]) {
    test(`the back edge of the incident is in sight and says its rule, count and price (${size}, ${theme})`, () =>
      open("incident.html", async (page) => {
        assert.ok(await inSight(page, back));
        const said = await page.locator(back).getAttribute("aria-label");
        assert.match(said, /goes back from shipment to order: reentry\.cycle ×1, 1\.3k tokens · \$0\.0025; refused/);
        const red = await page.locator('.line[data-line^="back"] .edge.back').evaluate((e) => getComputedStyle(e).stroke);
        assert.equal(red, theme === "light" ? "rgb(194, 32, 62)" : "rgb(255, 115, 135)");
        const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        assert.equal(paper, theme === "light" ? "rgb(247, 246, 243)" : "rgb(17, 21, 27)");
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= SIZES[size].width, `the page is ${wide} wide`);
      }, { size, theme }));
  }
}

test("a repeat of one tool is a loop of its own weight", () =>
  open("incident.html", async (page) => {
    const loop = page.locator('.label.back[aria-label*="from read_file to read_file"]');
    assert.match(await loop.getAttribute("aria-label"), /repeat\.exact ×1/);
  }));

test("from the line to the call to the difference, by mouse", () =>
  open("incident.html", async (page) => {
    await page.click(back);
    await page.getByRole("heading", { name: "shipment → order" }).waitFor();
    await page.click(".panel .item.call");
    await page.getByText(/blocked · reentry\.cycle/).waitFor();
    assert.match(await page.locator(".panel .head .under").textContent(), /main › order › shipment › order/);
    const gone = await page.locator(".diff del mark").allTextContents();
    const come = await page.locator(".diff ins mark").allTextContents();
    assert.ok(gone.join(" ").includes("4711"), gone.join("|"));
    assert.ok(come.join(" ").includes("which"), come.join("|"));
    await page.getByRole("switch").click();
    assert.equal(await page.locator(".diff").count(), 0);
    assert.match(await page.locator(".panel pre").first().textContent(), /which parcel is of A-17/);
    await page.getByRole("button", { name: "Go to call 2" }).click();
    await page.getByText("Call 2", { exact: true }).waitFor();
    assert.match(page.url(), /#call=2$/);
  }));

test("two equal calls are said to be the same", () =>
  open("incident.html", async (page) => {
    const texts = await page.locator(".same").allTextContents();
    assert.match(texts[0], /The same in call \d+ and call \d+/);
  }, { hash: "#call=6" }));

test("what one agent may use stands in the run's budgets and at the agent, with what it used", () =>
  open("incident.html", async (page) => {
    const row = () => page.locator(".budget", { hasText: "calls (one agent)" });
    assert.match(await row().textContent(), /3\s*(of|\/)\s*10/);
    await page.locator("[aria-label^='agent, shipment']").first().click();
    await page.getByRole("heading", { name: "shipment" }).waitFor();
    assert.match(await row().textContent(), /0\s*(of|\/)\s*10/);
  }));

test("everything is reached by the keyboard", () =>
  open("incident.html", async (page) => {
    await page.keyboard.press("b");
    await page.getByRole("heading", { name: /→|itself/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Budgets", { exact: true }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.className);
    assert.match(await focused(), /^agent, main/);
    const seen = new Set();
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press("ArrowRight");
      seen.add(await focused());
    }
    assert.ok([...seen].some((name) => /^(agent, order|tool, list_files)/.test(name)), [...seen].join("|"));
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.closest(".panel") !== null), true);
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.type), "search");
    await page.keyboard.type("notes.md");
    assert.equal(await page.locator(".found").textContent(), "4");  // the list of files names it, three calls read it
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "tree");
    await page.locator(".panel .kind", { hasText: /^Call \d+$/ }).waitFor();
    await page.keyboard.press("?");
    assert.equal(await page.locator("dialog").evaluate((d) => d.open), true);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("dialog").evaluate((d) => d.open), false);
  }));

test("what has the focus can be seen, and buttons have names", () =>
  open("incident.html", async (page) => {
    const nameless = await page.$$eval("button, [role=button], input", (all) => all.filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.title)).length);
    assert.equal(nameless, 0);
    await page.keyboard.press("Tab");
    for (let i = 0; i < 12; i++) {
      const seen = await page.evaluate(() => {
        const e = document.activeElement;
        const style = getComputedStyle(e);
        const inner = e.querySelector("rect") ? getComputedStyle(e.querySelector("rect")) : undefined;
        return style.outlineStyle !== "none" || style.boxShadow !== "none" || (inner !== undefined && parseFloat(inner.strokeWidth) >= 2);
      });
      assert.ok(seen, `stop ${i} shows no focus`);
      await page.keyboard.press("Tab");
    }
  }));

test("the timeline is a tree that opens and closes", () =>
  open("incident.html", async (page) => {
    await page.keyboard.press("t");
    const rows = () => page.locator(".row").count();
    const all = await rows();
    assert.equal(await page.locator(".row.call").count(), 7);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await rows(), 1);
    await page.keyboard.press("ArrowRight");
    assert.equal(await rows(), all);
    assert.equal(await page.locator('.row[aria-level="1"]').count(), 1);
  }));

test("the theme can be turned over", () =>
  open("incident.html", async (page) => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.getByRole("button", { name: "Dark or light" }).click();
    assert.notEqual(await paper(), light);
  }));

test("words of a run stay words", () =>
  open("incident.html", async (page) => {
    assert.equal(await page.locator("h1 b").count(), 0);
    assert.match(await page.locator("h1").textContent(), /<b>parcel<\/b>/);
  }));

test("2,000 calls: only what is in sight exists, and the first paint is told", () =>
  open("large.html", async (page) => {
    const times = await page.evaluate(() => ({
      paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
      drawn: performance.getEntriesByName("backedge-drawn")[0].startTime,
    }));
    console.log(`2,000 calls: first paint after ${Math.round(times.paint)} ms, graph drawn after ${Math.round(times.drawn)} ms`);
    assert.ok((await page.locator(".box").count()) <= 60);
    assert.equal(await page.locator(".box.more").count(), 1);
    await page.locator(".box.more").click();
    await page.locator(".box").nth(16).waitFor();
    await page.keyboard.press("t");
    assert.ok((await page.locator(".row").count()) < 80);
    await page.keyboard.press("End");
    await page.locator(".row.call", { hasText: "2000" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("p40.ts");
    const hits = Array.from({ length: 2000 }, (_, n) => (n * 7) % 41).filter((n) => n === 40).length;
    assert.equal(await page.locator(".found").textContent(), String(hits));
  }));

test("a recorded session with subagents draws them below the call that started them", async () => {
  backedge("graph", join(cases, "traces/claude-code/codemie-sub/turn-2.jsonl"), "--out", "recorded.html");
  await open("recorded.html", async (page) => {
    assert.equal(await page.locator(".box.agent").count(), 2);
    assert.match(await page.locator(".box.agent").nth(1).getAttribute("aria-label"), /started by Task/);
  });
});

test("a page whose data was cut says so", async () => {
  writeFileSync(file("broken.html"), "");
  const whole = backedge("graph", "last", "--out", "-");
  writeFileSync(file("broken.html"), whole.replace(/(id="data">\{.{40}).*?(<\/script>)/s, "$1$2"));
  const page = await browser.newPage();
  await page.goto(pathToFileURL(file("broken.html")).href);
  assert.match(await page.locator(".broken").textContent(), /cannot be read/);
  await page.close();
});
