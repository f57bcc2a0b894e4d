import { parentPort } from "node:worker_threads";
import type { Answer, Job } from "./job.ts";
import { parseAll } from "./parse.ts";
import { findSecrets } from "./secrets.ts";

/** The inside of a thread: one job at a time, each answered by one message. */
parentPort?.on("message", async (job: Job) => {
  parentPort?.postMessage(await answerTo(job));
});

async function answerTo(job: Job): Promise<Answer> {
  try {
    return job.kind === "secrets"
      ? { kind: "secrets", secrets: await findSecrets(job.text) }
      : { kind: "syntax", ...(await parseAll(job.texts)) };
  } catch {
    // What was thrown may quote the text: it stays here.
    return { kind: "failed" };
  }
}
