import { relative } from "node:path";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { Output } from "../output.ts";
import { commands } from "../render/commands.ts";
import { fields } from "../render/fields.ts";
import { span } from "../times.ts";
import { type Configuration, workspace } from "./configuration.ts";

export interface Ready {
  readonly url: string;
  /** Where the owner logs in with a browser, once. */
  readonly login: string | undefined;
  readonly folder: string;
  readonly dataFolder: string;
  readonly configuration: Configuration;
  /** Sources of capabilities that could not be opened. */
  readonly unavailable: readonly { readonly name: string; readonly message?: string }[];
  /** Where the person's key lies: outside of the folder that agents work in. */
  readonly keyFile: string;
  readonly tookMs: number;
}

/** What somebody wants to know once it runs: where it is, where things lie, and what to type next. */
export function tellReady(ready: Ready, output: Output): void {
  const paint = output.paintTalk;
  const { file } = ready.configuration;
  output.say(
    [
      `${paint(["bold", "green"], "✔ Paraph is ready")} ${paint("dim", `in ${span(ready.tookMs)}`)}`,
      "",
      fields(
        [
          ["API", paint("cyan", ready.url)],
          ["reference", paint("cyan", `${ready.url}/docs`)],
          file === undefined
            ? ["files", `${shown(ready.folder)}/${workspace}`]
            : ["configuration", shown(file)],
          ["data", shown(ready.dataFolder)],
          ["your key", shown(ready.keyFile)],
        ],
        paint,
      ),
      "",
      paint(
        "dim",
        "Every program of your user can read your key: run agents as another user, or with `paraph hook`.",
      ),
      "",
      ...ready.unavailable.map(
        ({ name, message = "" }) =>
          `${paint("yellow", "!")} ${escapeInvisible(name)} is unavailable. ${escapeInvisible(message)}`,
      ),
      ...(ready.unavailable.length > 0 ? [""] : []),
      // On a line of its own and never folded: it is there to be clicked.
      ...(ready.login === undefined
        ? []
        : ["Log in with a browser, once, within ten minutes:", "", `  ${paint("cyan", ready.login)}`, ""]),
      "Try in another terminal:",
      "",
      commands(suggestions(file !== undefined), paint),
      "",
      paint("dim", "Ctrl-C stops it. Everything is kept."),
    ].join("\n"),
  );
}

function suggestions(configured: boolean): (readonly [string, string])[] {
  return configured
    ? [
        ["paraph capabilities", "what can be called"],
        ["paraph approvals", "what waits for a person"],
      ]
    : [
        ["paraph call files.write path=hello.txt content=Hello", "an agent asks"],
        ["paraph approvals", "you decide"],
      ];
}

function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near === "" ? "." : near.startsWith("..") ? path : `./${near}`;
}
