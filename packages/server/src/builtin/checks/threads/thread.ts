import { parentPort } from "node:worker_threads";
import { findTextSecrets } from "./find-secrets.ts";
import type { ThreadAnswer, ThreadJob } from "./job.ts";
import { parseTexts } from "./parse-texts.ts";

/** The code of a thread. It runs one job at a time and answers each with one message. */
parentPort?.on("message", async (job: ThreadJob) => {
  parentPort?.postMessage(await runThreadJob(job));
});

async function runThreadJob(job: ThreadJob): Promise<ThreadAnswer> {
  try {
    return job.kind === "secrets"
      ? { kind: "secrets", secrets: await findTextSecrets(job.text) }
      : { kind: "syntax", ...(await parseTexts(job.texts)) };
  } catch {
    // The error may quote the text, so it does not leave the thread.
    return { kind: "failed" };
  }
}
