// Looks at each page as `run` describes.
const { chromium } = require("playwright-core");
const [address, pictures, executablePath] = process.argv.slice(2);
const origin = new URL(address).origin;
const failures = [];
const check = (holds, message) => holds || failures.push(message);

// Text whose contrast with what is behind it is below AA, in the page.
const faintText = () => {
    const parse = (color) => (color.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((it) => it / 255)
        .map((it) => (it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4))
        .reduce((sum, it, at) => sum + it * [0.2126, 0.7152, 0.0722][at], 0);
    const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    const behind = (element) => {
        if (element instanceof SVGTextElement) {
            const field = element.parentElement.querySelector(":scope > rect.cell");
            if (field) return parse(getComputedStyle(field).fill);
        }
        for (let at = element; at; at = at.parentElement) {
            const color = parse(getComputedStyle(at).backgroundColor);
            if (color.length === 3 || color[3] > 0) return color;
        }
        return [255, 255, 255];
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const faint = [];
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        const isShown = element.checkVisibility() && walker.currentNode.data.trim();
        if (!isShown || element.closest("title,.skip")) continue;
        const style = getComputedStyle(element);
        const color = parse(element instanceof SVGElement ? style.fill : style.color);
        const size = parseFloat(style.fontSize);
        const needed = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
        const found = ratio(color, behind(element));
        if (found < needed) faint.push(`${walker.currentNode.data.trim().slice(0, 30)}: ${found.toFixed(2)}`);
    }
    return faint;
};

const controls = "a[href],button,input:not([type=hidden]),summary,[tabindex='0']";

async function tabThrough(page, name) {
    const count = await page.evaluate((controls) => {
        const shown = (it) => it.checkVisibility();
        return [...document.querySelectorAll(controls)].filter(shown).map((it, at) => (it.dataset.at = at)).length;
    }, controls);
    await page.evaluate(() => document.activeElement.blur());
    const reached = new Set();
    for (let presses = 0; presses < count + 2; presses++) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate(() => document.activeElement.dataset.at);
        if (at !== undefined) reached.add(at);
    }
    check(reached.size === count, `${name}: Tab reaches ${reached.size} of ${count} controls`);
}

async function look(context, path, name) {
    const page = await context.newPage();
    const said = [];
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    page.on("request", (request) => {
        const url = request.url();
        check(url.startsWith(origin) || url.startsWith("data:"), `${name} asks for ${url}`);
    });
    const answer = await page.goto(origin + path);
    check(answer.status() === 200, `${name}: status ${answer.status()}`);
    for (const scheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: scheme });
        const faint = await page.evaluate(faintText);
        check(faint.length === 0, `${name}, ${scheme}: contrast of ${faint.slice(0, 5).join("; ")}`);
        await page.setViewportSize({ width: 1100, height: 900 });
        await page.screenshot({ path: `${pictures}/${name}-${scheme}.png`, fullPage: true });
        if (scheme === "light") await page.screenshot({ path: `${pictures}/${name}.png` });
    }
    await tabThrough(page, name);
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 400, height: 800 });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    check(width <= 400, `${name}: ${width} pixels wide at 400`);
    await page.screenshot({ path: `${pictures}/${name}-narrow.png`, fullPage: true });
    check(said.length === 0, `${name} says in the console: ${said.join("; ")}`);
    await page.close();
}

(async () => {
    const browser = await chromium.launch({ executablePath, headless: true, args: ["--no-sandbox",
        "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync"] });
    const context = await browser.newContext({ javaScriptEnabled: true });
    const first = await context.newPage();
    await first.goto(address);
    await first.goto(`${origin}/sessions`);
    const session = await first.getAttribute("td a", "href");
    const pages = { overview: "/", sessions: "/sessions", search: "/sessions?q=claude", session,
        trim: `${session}?budget=8000`, packs: "/packs", notes: "/notes", archive: "/archive",
        feature: "/notes?feature=checkout", difference: "/notes?feature=search&level=summarize" };
    for (const [name, path] of Object.entries(pages)) await look(context, path, name);
    await first.goto(`${origin}/notes?feature=checkout`);
    const link = first.getByText("Revert…").first();
    check((await link.count()) === 1, "feature: nothing can be reverted");
    if (await link.count()) {
        await link.click();
        await look(context, new URL(first.url()).pathname + new URL(first.url()).search, "revert");
        await first.getByRole("button", { name: "Revert" }).click();
        check((await first.content()).includes("reverted"), "revert: the history does not say so");
    }
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const still = await plain.newPage();
    await still.goto(address);
    await still.goto(`${origin}${session}`);
    await still.getByRole("button", { name: "Preview" }).click();
    check((await still.content()).includes("What becomes of each turn") || (await still.content()).includes("cannot be trimmed"),
        "trim: no preview without scripts");
    await browser.close();
    for (const failure of failures) console.log(`FAILED   ${failure}`);
    if (failures.length === 0) console.log(`ok       ${Object.keys(pages).length + 1} pages in a browser; pictures in ${pictures}`);
    process.exit(failures.length ? 1 : 0);
})();
