// Builds the page into one file without any address in it: style, script and the layout engine stand inside, and a
// Content-Security-Policy names the first two by their digests and forbids everything else.
//
// The engine (elkjs, 1.6 MB) is text that no browser reads before the first paint; the page starts it as a worker from a
// blob. The data goes where DATA_MARK stands; whoever puts it there escapes every "<" as \u003c.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { defineConfig, type Plugin } from "vite";

const DATA_MARK = "@BACKEDGE_DATA@";

function digest(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

function onePage(): Plugin {
  return {
    name: "one-page",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let style = "";
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === "chunk") script += part.code;
        else if (name.endsWith(".css")) style += part.source;
        delete bundle[name];
      }
      const require = createRequire(import.meta.url);
      const engine = readFileSync(require.resolve("elkjs/lib/elk-worker.min.js"), "utf8");
      for (const [what, text] of [["script", script], ["layout engine", engine]] as const) {
        if (/<\/script|<!--/i.test(text)) throw new Error(`the ${what} would end its own element`);
      }
      const policy = [
        "default-src 'none'",
        `script-src ${digest(script)}`,
        `style-src ${digest(style)}`,
        "worker-src blob:",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; ");
      const parts: Record<string, string> = { POLICY: policy, STYLE: style, SCRIPT: script, ENGINE: engine, DATA: DATA_MARK };
      const template = readFileSync(new URL("page.html", import.meta.url), "utf8");
      const page = template.replace(/%([A-Z]+)%/g, (whole, name: string) => parts[name] ?? whole);
      this.emitFile({ type: "asset", fileName: "page.html", source: page });
    },
  };
}

export default defineConfig({
  plugins: [onePage()],
  build: {
    target: "es2021",
    cssCodeSplit: false,
    modulePreload: false,
    emptyOutDir: true,
    reportCompressedSize: false,
    rollupOptions: { input: "src/main.ts", output: { format: "iife", inlineDynamicImports: true } },
  },
});
