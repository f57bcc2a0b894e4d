import { parentPort } from "node:worker_threads";
import { findTextSecrets } from "./find-secrets.ts";
import type { ThreadAnswer, ThreadJob } from "./job.ts";
import { parseTexts } from "./parse-texts.ts";

/** The inside of a thread: one job at a time, each answered by one message. */
parentPort?.on("message", async (job: ThreadJob) => {
  parentPort?.postMessage(await runThreadJob(job));
});

async function runThreadJob(job: ThreadJob): Promise<ThreadAnswer> {
  try {
    return job.kind === "secrets"
      ? { kind: "secrets", secrets: await findTextSecrets(job.text) }
      : { kind: "syntax", ...(await parseTexts(job.texts)) };
  } catch {
    // What was thrown may quote the text: it stays here.
    return { kind: "failed" };
  }
}
