import { relative } from "node:path";
import { hookClients } from "../../hook/hook-event.ts";
import { type Configuration, workspaceFolder } from "../../lib/config/configuration.ts";
import { isLoopbackUrl } from "../../lib/own-address.ts";
import { formatCommands } from "../../lib/render/commands.ts";
import { formatFields } from "../../lib/render/fields.ts";
import { formatDuration } from "../../lib/terminal/format-time.ts";
import type { CliOutput } from "../../lib/terminal/output.ts";
import { formatWarnings, type Warnings } from "./warnings.ts";

export interface DevServerInfo {
  readonly url: string;
  /** The one-time link that logs the owner in with a browser. */
  readonly login: string | undefined;
  readonly folder: string;
  readonly dataFolder: string;
  readonly configuration: Configuration;
  readonly warnings: Warnings;
  /** The warnings about calls that the previous process left behind. */
  readonly leftBehind: readonly string[];
  /** The file of the person's API key. It is outside the folder in which agents work. */
  readonly keyFile: string;
  readonly tookMs: number;
}

/** Prints the address, the files and the next commands. */
export function printReady(ready: DevServerInfo, output: CliOutput): void {
  const paint = output.paintInfo;
  const { file } = ready.configuration;
  const warnings = [...formatWarnings(ready.warnings, paint), ...ready.leftBehind];
  output.info(
    [
      `${paint(["bold", "green"], "✔ Paraph is ready")} ${paint("dim", `in ${formatDuration(ready.tookMs)}`)}`,
      "",
      formatFields(
        [
          ["API", paint("cyan", ready.url)],
          ["reference", paint("cyan", `${ready.url}/docs`)],
          file === undefined
            ? ["files", `${formatPath(ready.folder)}/${workspaceFolder}`]
            : ["configuration", formatPath(file)],
          ["data", formatPath(ready.dataFolder)],
          ["your key", formatPath(ready.keyFile)],
        ],
        paint,
      ),
      "",
      paint(
        "dim",
        `Every program that runs as your user can read your key. Run agents as another user, or install Paraph's hook with \`paraph hook install CLIENT\` (${hookClients.join(", ")}).`,
      ),
      "",
      ...(isLoopbackUrl(ready.url)
        ? []
        : [
            `${paint("yellow", "!")} Everyone in this network can reach Paraph, and the connection is not encrypted. Use \`--host\` only in a network that you trust.`,
            "",
          ]),
      ...warnings,
      ...(warnings.length > 0 ? [""] : []),
      // The link has its own line and is never wrapped, so that a terminal can open it.
      ...(ready.login === undefined
        ? []
        : [
            "Open this one-time login link in a browser within ten minutes:",
            "",
            `  ${paint("cyan", ready.login)}`,
            "",
          ]),
      "Try in another terminal:",
      "",
      formatCommands(suggestCommands(file !== undefined), paint),
      "",
      paint("dim", "Press Ctrl-C to stop. All data is kept."),
    ].join("\n"),
  );
}

function suggestCommands(configured: boolean): (readonly [string, string])[] {
  return configured
    ? [
        ["paraph capabilities", "list capabilities"],
        ["paraph approvals", "list open approvals"],
      ]
    : [
        ["paraph call files.write path=hello.txt content=Hello", "request a call as the agent"],
        ["paraph approvals", "list open approvals"],
      ];
}

function formatPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near === "" ? "." : near.startsWith("..") ? path : `./${near}`;
}
