import { spawn } from "node:child_process";
import { splitLines } from "@paraph/core/split-lines";

const program = "codex";

/** Asks Codex whether it would run Paraph's hook. Returns undefined if Codex is not installed or does not answer. */
export async function isTrustedByCodex(
  cwd: string,
  environment: NodeJS.ProcessEnv,
  timeoutMs = 10_000,
): Promise<boolean | undefined> {
  const child = spawn(program, ["app-server"], { cwd, env: environment, stdio: ["pipe", "pipe", "ignore"] });
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  child.stdin.on("error", () => {});
  child.on("error", () => {});
  const timer = setTimeout(() => child.stdout.destroy(), timeoutMs);
  const clientInfo = { name: "paraph", title: "Paraph", version: "0" };
  send({ id: 1, method: "initialize", params: { clientInfo } });
  try {
    for await (const line of splitLines(child.stdout.setEncoding("utf8"))) {
      const { id, result } = parseMessage(line);
      if (id === 1) {
        send({ method: "initialized" });
        send({ id: 2, method: "hooks/list", params: { cwds: [cwd] } });
      }
      if (id === 2) return isTrusted(result);
    }
  } catch {
    // The output ended early because Codex did not start or the time is over.
  } finally {
    clearTimeout(timer);
    child.kill();
  }
  return undefined;
}

interface HooksList {
  readonly data?: readonly {
    readonly hooks?: readonly {
      readonly command?: string;
      readonly eventName?: string;
      readonly enabled?: boolean;
      readonly trustStatus?: string;
    }[];
  }[];
}

function isTrusted(result: HooksList | undefined): boolean | undefined {
  const hooks = result?.data?.flatMap((each) => each.hooks ?? []);
  const ours = hooks?.filter(
    ({ command, eventName }) => eventName === "preToolUse" && command?.includes("hook run codex"),
  );
  if (!ours || ours.length === 0) return undefined;
  return ours.some(
    ({ enabled, trustStatus }) => enabled !== false && ["trusted", "managed"].includes(trustStatus ?? ""),
  );
}

function parseMessage(line: string): { id?: number; result?: HooksList } {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
