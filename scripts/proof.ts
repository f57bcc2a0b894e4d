// Writes docs/proof.md from the result files in docs/proof/.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { proofPage } from "./proof-page.ts";

const path = (name: string) => fileURLToPath(new URL(`../docs/${name}`, import.meta.url));
writeFileSync(path("proof.md"), proofPage(path("proof")));
