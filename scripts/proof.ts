// Writes docs/proof.md, and the table of docs/operate/scale.md, from the result files in docs/proof/.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { renderProofPage } from "./proof-page.ts";
import { replaceScaleTable } from "./scale-table.ts";

const toDocsPath = (name: string) => fileURLToPath(new URL(`../docs/${name}`, import.meta.url));
const results = toDocsPath("proof");
const scale = toDocsPath("operate/scale.md");
writeFileSync(toDocsPath("proof.md"), renderProofPage(results));
writeFileSync(scale, replaceScaleTable(readFileSync(scale, "utf8"), results));
