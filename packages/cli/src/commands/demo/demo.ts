import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { placeCall } from "../../lib/calls/place-call.ts";
import { workspaceFolder } from "../../lib/config/configuration.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatApproval } from "../../lib/render/approval.ts";
import { toTypedCommand } from "../../lib/render/commands.ts";
import { askYesNo } from "../../lib/terminal/ask-yes-no.ts";
import { formatDuration } from "../../lib/terminal/format-time.ts";
import { waitForAbort } from "../../lib/terminal/wait-for-abort.ts";
import { decideApproval } from "../approvals/decide.ts";
import { findRound } from "../approvals/find-round.ts";
import { downloadReceipt } from "../audit/receipt.ts";
import { verifyReceiptFile } from "../audit/verify.ts";
import { startLocalServer } from "../dev/local-server.ts";
import { createSpinner } from "../dev/spinner.ts";
import { createNarrator, type Narrator } from "./narrator.ts";

const file = "prices.csv";
const before = "product,price\nEspresso machine,249.00\nCoffee grinder,89.00\n";
const after = "product,price\nEspresso machine,24.90\nCoffee grinder,89.00\n";

/**
 * Shows Paraph once from start to end: an agent requests a change, the user decides on it, and the receipt verifies.
 * Everything happens in a temporary folder, with servers of its own.
 */
export async function runDemo(context: Context, options: { readonly yes?: boolean }): Promise<ExitCode> {
  context.takeTime();
  const root = await mkdtemp(join(tmpdir(), "paraph-demo-"));
  // PostgreSQL does not run as root, so its own user must be able to enter the folder.
  await chmod(root, 0o711);
  const demo = isolate(context, root);
  const progress = createSpinner(context.output);
  let server: Awaited<ReturnType<typeof startLocalServer>> | undefined;
  try {
    await mkdir(join(demo.folder, workspaceFolder), { recursive: true });
    await writeFile(join(demo.folder, workspaceFolder, file), before);
    server = await startLocalServer(demo, { folder: "." }, progress.step);
    progress.stop();
    const shown = await showDemo(demo, options);
    const login = await server.paraph.createLoginLink(server.local.tenant, server.local.owner);
    if (context.json)
      context.output.json({ ...shown, url: server.url, tookMs: Math.round(performance.now()) });
    else await offerBrowser(context, login, options);
  } finally {
    progress.stop();
    await server?.stop();
    await rm(root, { recursive: true, force: true, maxRetries: 10 });
  }
  return exitCode.ok;
}

/**
 * Returns the context of the demo. It has none of the user's variables, so that the demo uses neither the user's
 * database nor a server that the user works with.
 */
function isolate(context: Context, root: string): Context {
  const { PATH, TERM, NO_COLOR } = context.environment;
  return {
    ...context,
    folder: join(root, "project"),
    url: undefined,
    environment: { PATH, TERM, NO_COLOR, HOME: root, XDG_STATE_HOME: join(root, "state") },
  };
}

/** Runs the story. Returns what a script wants to know about it. */
async function showDemo(context: Context, options: { readonly yes?: boolean }) {
  const narrator = createNarrator(context);
  narrator.chapter(
    "An agent requests a change",
    "It may request anything. This one wants to write a new price list.",
    `paraph call files.write path=${file} content="…"`,
  );
  const request = { capability: "files.write", input: { path: file, content: after } };
  const quiet = { ...context, json: true, output: silence(context.output) };
  const asked = await placeCall(quiet, "agent", request, { wait: "0s" });
  narrator.tell("Policy asks a person before a file is changed, so nothing has happened yet.");

  const ended = await decide(context, narrator, asked, options);
  const content = await readFile(join(context.folder, workspaceFolder, file), "utf8");
  const isPerformed = ended.outcome?.kind === "succeeded";
  if (isPerformed !== (content === after)) throw new Error("the file does not match the outcome");
  narrator.chapter(
    isPerformed ? "Paraph performs it once" : "Paraph does not perform it",
    isPerformed
      ? "The file has changed. If the process had crashed meanwhile, Paraph would have checked before a second attempt."
      : "The file is unchanged, and the agent learns that you denied it.",
    `cat ${workspaceFolder}/${file}`,
  );
  narrator.show(content.trimEnd());

  const receipt = join(context.folder, "receipt.json");
  await downloadReceipt(quiet, asked.call, { output: receipt });
  narrator.chapter(
    "The receipt proves it",
    "Anyone can verify it offline, with the public key and without this server.",
    "paraph verify receipt.json",
  );
  const shown = context.json ? quiet : context;
  const verified = (await verifyReceiptFile(shown, receipt, {})) === exitCode.ok;

  const forged = join(context.folder, "forged.json");
  await writeFile(forged, forge(await readFile(receipt, "utf8")));
  narrator.chapter(
    "A changed receipt does not verify",
    "The same receipt, after one character of its content was changed.",
    "paraph verify forged.json",
  );
  const isForgeryCaught = (await verifyReceiptFile(shown, forged, {})) !== exitCode.ok;
  return { call: asked.call, outcome: ended.outcome?.kind, verified, forgeryVerified: !isForgeryCaught };
}

/** Shows the approval, and decides as the user wishes. Without a terminal, or with `--yes`, it approves. */
async function decide(
  context: Context,
  narrator: Narrator,
  { waiting }: CallView,
  { yes }: { readonly yes?: boolean },
): Promise<CallView> {
  const client = createApiClient(await resolveConnection(context, "person"), context.signal);
  const round = await findRound(client, waiting?.approval?.id ?? "last");
  narrator.chapter(
    "You decide",
    "You see what would change, and not only what the agent says. Look at the first price.",
    "paraph approve last",
  );
  const paint = context.output.paintInfo;
  narrator.show(formatApproval(round, paint, { now: Date.now(), whole: false, declined: [] }));
  const isAsked = !yes && context.question !== undefined;
  const isApproved = !isAsked || (await askYesNo(context.question!, `\n${paint("green", "Approve?")}`));
  if (!isAsked) narrator.tell("The demo approves it for you.");
  const decision = isApproved ? "approve" : "deny";
  await decideApproval(
    { ...context, output: silence(context.output), json: true },
    decision,
    round.approval,
    {
      yes: true,
      fingerprint: round.digest,
    },
  );
  return client.request<CallView>(`/v1/calls/${encodeURIComponent(round.call)}`);
}

/** Prints the way on. On a terminal, keeps the servers running until Ctrl-C, so that the user can look around. */
async function offerBrowser(
  { output, question, signal }: Context,
  login: string | undefined,
  { yes }: { readonly yes?: boolean },
): Promise<void> {
  const paint = output.paintInfo;
  // The time says nothing if it includes the time that the user took to decide.
  const took =
    yes || question === undefined
      ? ` ${paint("dim", `From nothing to a verified receipt in ${formatDuration(performance.now())}.`)}`
      : "";
  const next = `Next: ${paint("cyan", `${toTypedCommand("paraph init")} && ${toTypedCommand("paraph dev")}`)}`;
  output.info(`\n${paint(["bold", "green"], "✔ That is Paraph.")}${took}\n\n${next}\n`);
  if (signal.aborted) return;
  if (question === undefined)
    return output.info(
      paint("dim", "The demo ends here. In a terminal, it also shows the call in a browser."),
    );
  if (login !== undefined)
    output.info(
      `See the same call in a browser, with this one-time login link:\n\n  ${paint("cyan", login)}\n`,
    );
  output.info(paint("dim", "Press Ctrl-C to end the demo. It deletes everything that it created."));
  await waitForAbort(signal);
}

/** Changes one character of the signed content. */
function forge(text: string): string {
  const bundle = JSON.parse(text) as { envelope: { payload: string } };
  const { payload } = bundle.envelope;
  const middle = Math.floor(payload.length / 2);
  const other = payload[middle] === "A" ? "B" : "A";
  const forged = payload.slice(0, middle) + other + payload.slice(middle + 1);
  return JSON.stringify({ ...bundle, envelope: { ...bundle.envelope, payload: forged } });
}

/** An output that prints nothing, for a command whose text the demo replaces. */
function silence(output: Context["output"]): Context["output"] {
  const nothing = () => {};
  return { ...output, data: nothing, json: nothing, raw: nothing, info: nothing, status: nothing };
}
