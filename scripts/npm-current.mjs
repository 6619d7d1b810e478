// Exits 0 when DIR/node_modules holds exactly what DIR/package-lock.json locks,
// 1 otherwise. npm writes node_modules/.package-lock.json last, so a broken
// installation has none. Downloads nothing.
import { existsSync, readFileSync } from "node:fs";

const dir = process.argv[2];
const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : null);
const locked = read(`${dir}/package-lock.json`);
const installed = read(`${dir}/node_modules/.package-lock.json`);
if (!locked || !installed) process.exit(1);

// Packages for other platforms are locked, and never installed here.
const runsHere = (p) =>
  (!p.os || p.os.includes(process.platform)) && (!p.cpu || p.cpu.includes(process.arch));
const same = (name) => installed[name]?.version === locked[name]?.version && installed[name]?.integrity === locked[name]?.integrity;
const wanted = Object.keys(locked).filter((name) => name !== "" && (runsHere(locked[name]) || !locked[name].optional));
const ok = wanted.every((name) => same(name) && existsSync(`${dir}/${name}/package.json`)) && Object.keys(installed).every(same);
process.exit(ok ? 0 : 1);
