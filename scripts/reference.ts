// Writes the generated pages of docs/reference/.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { referenceFolder, renderReferencePages } from "./reference/pages.ts";

for (const { name, text } of await renderReferencePages()) {
  const file = fileURLToPath(new URL(name, referenceFolder));
  writeFileSync(file, text);
  console.log(file);
}
