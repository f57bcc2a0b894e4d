import { sendToParent } from "../lib/in-child.ts";
import { startMeasuredProcess } from "../lib/measured-process.ts";
import { approvalsConfig, startedCalls } from "./config.ts";

type ParentMessage = { kind: "begun" } | { kind: "link"; tenant: string; person: string };

await startMeasuredProcess(approvalsConfig, import.meta.url, (paraph) => {
  process.on("message", async (asked: ParentMessage) => {
    if (asked.kind === "begun") await sendToParent({ kind: "begun", begun: startedCalls.splice(0) });
    else await sendToParent({ kind: "link", link: await paraph.createLoginLink(asked.tenant, asked.person) });
  });
});
