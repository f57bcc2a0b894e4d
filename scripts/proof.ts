// Writes docs/proof.md from the result files in docs/proof/.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { renderProofPage } from "./proof-page.ts";

const toDocsPath = (name: string) => fileURLToPath(new URL(`../docs/${name}`, import.meta.url));
writeFileSync(toDocsPath("proof.md"), renderProofPage(toDocsPath("proof")));
