// Builds the dashboard into dist/ (or the unit tests into .test/ with --tests).
import { build } from "esbuild";
import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";

const jsx = { jsx: "automatic", jsxImportSource: "preact" };

async function tests() {
  await rm(".test", { recursive: true, force: true });
  const entries = (await readdir("src", { recursive: true })).filter((f) => f.endsWith(".test.ts")).map((f) => `src/${f}`);
  await build({ entryPoints: entries, outdir: ".test", bundle: true, platform: "node", format: "esm", outExtension: { ".js": ".mjs" }, ...jsx });
}

async function pages() {
  await mkdir("dist", { recursive: true });
  for (const f of await readdir("dist")) if (f !== ".gitkeep") await rm(`dist/${f}`, { recursive: true });
  const out = await build({
    entryPoints: { app: "src/main.tsx", style: "src/style.css" },
    outdir: "dist", entryNames: "[name]-[hash]", bundle: true, minify: true, format: "esm",
    target: ["es2022"], metafile: true, legalComments: "none", ...jsx,
  });
  const name = (ext) => Object.keys(out.metafile.outputs).find((f) => f.endsWith(ext)).replace("dist/", "");
  const html = readFileSync("src/index.html", "utf8").replace("{{style}}", `/${name(".css")}`).replace("{{script}}", `/${name(".js")}`);
  await writeFile("dist/index.html", html);
  await cp("src/icon.svg", "dist/icon.svg");
  for (const ext of [".js", ".css"]) {
    const kb = gzipSync(readFileSync(`dist/${name(ext)}`)).length / 1000;
    console.log(`${name(ext)}: ${kb.toFixed(1)} kB gzip`);
    if (ext === ".js" && kb > 100) throw new Error("the page's own JavaScript must stay under 100 kB gzip");
  }
}

await (process.argv.includes("--tests") ? tests() : pages());
