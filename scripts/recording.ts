// Records the terminal session in the README: starts `paraph dev` in an empty folder, runs the commands below on a
// terminal of the program `script`, and draws their output as docs/screenshots/session.svg.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { drawSession, type RecordedCommand } from "./recording/draw-session.ts";

const columns = 100;
/** The commands of the session, and how many lines of their output the picture shows. */
const commands: readonly { readonly command: string; readonly answer?: string; readonly maxLines: number }[] =
  [
    { command: 'npx paraph call files.write path=hello.txt content="Hello from an agent"', maxLines: 9 },
    { command: "npx paraph approve last", answer: "y\n", maxLines: 40 },
    { command: "npx paraph receipt last -o receipt.json", maxLines: 1 },
    { command: "npx paraph verify receipt.json", maxLines: 9 },
  ];

const main = fileURLToPath(new URL("../packages/cli/src/main.ts", import.meta.url));
const paraph = [process.execPath, "--conditions=paraph-source", "--no-warnings", main];
const folder = mkdtempSync(join(tmpdir(), "paraph-recording-"));
chmodSync(folder, 0o755);
const environment = { ...process.env, HOME: folder, XDG_STATE_HOME: "", TERM: "xterm-256color" };
const server = spawn(paraph[0]!, [...paraph.slice(1), "dev"], {
  cwd: folder,
  env: environment,
  stdio: ["ignore", "pipe", "pipe"],
});
const exit = once(server, "exit");
try {
  await waitForOutput("one-time login link");
  const session: RecordedCommand[] = [];
  for (const { command, answer, maxLines } of commands) {
    const output = (await runOnTerminal(command, answer)).replaceAll(folder, "~");
    session.push({ command, output: limitLines(output, maxLines) });
  }
  const target = fileURLToPath(new URL("../docs/screenshots/session.svg", import.meta.url));
  writeFileSync(target, drawSession(session, columns));
} finally {
  server.kill("SIGTERM");
  await exit;
  rmSync(folder, { recursive: true });
}

/** Marks lines that the picture leaves out with an ellipsis. */
function limitLines(output: string, maxLines: number): string {
  const lines = output.trimEnd().split("\n");
  if (lines.length <= maxLines) return output;
  return [...lines.slice(0, maxLines), ...(maxLines > 1 ? ["\u001b[2m  …\u001b[22m"] : [])].join("\n");
}

/** Runs the command on a terminal, and types the answer when the command asks a question. */
async function runOnTerminal(command: string, answer: string | undefined): Promise<string> {
  const line = command.replace("npx paraph", paraph.map((part) => `'${part}'`).join(" "));
  const child = spawn("script", ["-qec", `stty cols ${columns} rows 40 -echo; ${line}`, "/dev/null"], {
    cwd: folder,
    env: environment,
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
    if (answer !== undefined && output.includes("[y/N]")) child.stdin.end(answer);
  });
  const [status] = await once(child, "close");
  // A call that waits for an approval has the exit code 8.
  if (status !== 0 && status !== 8) throw new Error(`\`${command}\` exited with ${status}:\n${output}`);
  return output.replaceAll("\r\n", "\n");
}

async function waitForOutput(text: string): Promise<void> {
  let output = "";
  await new Promise<void>((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString("utf8");
        if (output.includes(text)) resolve();
      });
    }
    exit.then(() => reject(new Error(`\`paraph dev\` stopped:\n${output}`)));
  });
}
