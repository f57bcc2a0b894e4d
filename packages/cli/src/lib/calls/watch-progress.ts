import { escapeInvisible, escapeInvisibleLines } from "@paraph/core/escape-invisible";
import type { ApiClient } from "../api/client.ts";
import type { Context } from "../context.ts";

interface ProgressMessage {
  readonly attempt: number;
  readonly fraction?: number;
  readonly message?: string;
  readonly output?: string;
  readonly leftOut?: number;
}

export interface ProgressWatch {
  /** The latest progress in a few words, or an empty text. */
  readonly text: string;
  stop(): Promise<void>;
}

/**
 * Prints the output of an attempt as it arrives, and marks each line as foreign. The function keeps the last message
 * for the status line. Callers do not read the outcome from the progress, because progress may be lost. The function
 * therefore also ignores a broken stream.
 */
export function watchProgress(
  { output }: Pick<Context, "output">,
  client: Pick<ApiClient, "events">,
  call: string,
  told: () => void,
): ProgressWatch {
  const end = new AbortController();
  let words = "";
  let line = "";
  const put = (text: string) => {
    const lines = escapeInvisibleLines(line + text);
    line = lines.pop() ?? "";
    for (const each of lines) output.info(output.paintInfo("dim", `  | ${each}`));
  };
  const hear = ({ fraction, message, output: text = "", leftOut = 0 }: ProgressMessage) => {
    words = [fraction === undefined ? "" : `${Math.floor(fraction * 100)} %`, escapeInvisible(message ?? "")]
      .filter((word) => word !== "")
      .join(", ");
    if (leftOut > 0) put(`\n… ${leftOut} earlier characters were not kept.\n`);
    put(text);
    told();
  };
  const listening = (async () => {
    const path = `/v1/calls/${encodeURIComponent(call)}/events`;
    for await (const { event, data } of client.events(path, { until: end.signal }))
      if (event === "progress") hear(data as ProgressMessage);
  })().catch(() => {});
  return {
    get text() {
      return words;
    },
    async stop() {
      end.abort();
      await listening;
      if (line !== "") put("\n");
    },
  };
}
