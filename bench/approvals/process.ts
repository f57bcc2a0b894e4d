import { tell } from "../lib/in-child.ts";
import { startMeasured } from "../lib/measured-process.ts";
import { begun, config } from "./config.ts";

type Asked = { kind: "begun" } | { kind: "link"; tenant: string; person: string };

await startMeasured(config, import.meta.url, (paraph) => {
  process.on("message", async (asked: Asked) => {
    if (asked.kind === "begun") await tell({ kind: "begun", begun: begun.splice(0) });
    else await tell({ kind: "link", link: await paraph.loginLink(asked.tenant, asked.person) });
  });
});
