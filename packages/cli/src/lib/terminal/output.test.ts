import { expect, it } from "vitest";
import { captureOutput } from "../../testing/captured-output.ts";
import { toExitCode } from "../exit-code.ts";

it("writes data to stdout and messages to stderr, and no status line to a pipe", () => {
  const { output, written } = captureOutput();
  output.data("data");
  output.info("talk");
  output.status("never seen in a pipe");
  expect(written).toEqual({ stdout: "data\n", stderr: "talk\n" });
});

it("uses colours on a terminal unless they are disabled, and elsewhere only with FORCE_COLOR", () => {
  const red = (options: Parameters<typeof captureOutput>[0]) =>
    captureOutput(options).output.paint("red", "x") !== "x";
  expect(red({ tty: true })).toBe(true);
  expect(red({ tty: false })).toBe(false);
  expect(red({ tty: true, environment: { NO_COLOR: "1" } })).toBe(false);
  expect(red({ tty: true, environment: { TERM: "dumb" } })).toBe(false);
  expect(red({ tty: true, color: false })).toBe(false);
  expect(red({ tty: false, environment: { FORCE_COLOR: "1" } })).toBe(true);
});

it.each([true, false])(
  "[TRUST 5] writes control and invisible characters of untrusted text as code points; terminal: %s",
  (tty) => {
    const { output, written } = captureOutput({ tty });
    const hostile = "a\u001b]0;title\u0007\u001b[2J\u001b[1A\u009b2J\u202e\u200b\rb\tc\u00a0d";
    const shown =
      "a<U+001B>]0;title<U+0007><U+001B>[2J<U+001B>[1A<U+009B>2J<U+202E><U+200B><U+000D>b\tc<U+00A0>d\n";
    output.data(hostile);
    output.info(hostile);
    expect(written).toEqual({ stdout: shown, stderr: shown });
  },
);

it("[TRUST 5] keeps its own colour codes if colours are on, and escapes colour codes if they are off", () => {
  const coloured = captureOutput({ tty: true });
  const text = coloured.output.paint(["bold", "red"], "x");
  coloured.output.data(text);
  expect(coloured.written.stdout).toBe(`${text}\n`);
  const plain = captureOutput({ tty: false });
  plain.output.data(text);
  expect(plain.written.stdout).toContain("<U+001B>[1m");
});

it.each([
  [{ tty: true, columns: 120 }, 120],
  [{ tty: true, columns: 0 }, 80],
  [{ tty: false, columns: 0 }, undefined],
])("uses 80 columns for a terminal that reports 0, and wraps nothing in a pipe: %j", (options, width) => {
  const { output } = captureOutput(options);
  expect([output.paint.width, output.paintInfo.width]).toEqual([width, width]);
});

it("replaces the status line with the next message", () => {
  const { output, written } = captureOutput({ tty: true });
  output.status("working");
  output.info("done");
  expect(written.stderr).toBe("working\r\u001b[Kdone\n");
});

it("has an exit code for every outcome", () => {
  const codes = [
    "succeeded",
    "failed",
    "refused",
    "denied",
    "expired",
    "cancelled",
    "superseded",
    "unknown",
  ] as const;
  expect(codes.map(toExitCode)).toEqual([0, 1, 3, 3, 3, 1, 1, 9]);
});

it("a screen redraws in place, keeps within the rows, and gives the terminal back", () => {
  const { output, written } = captureOutput({ tty: true });
  const screen = output.openScreen()!;
  const rows = Array.from({ length: 30 }, (_, row) => `row ${row}\u001b[2J`);
  screen.draw(rows.join("\n"));
  screen.close();
  const { stdout } = written;
  expect(stdout.startsWith("\u001b[?1049h\u001b[?25l\u001b[Hrow 0<U+001B>[2J\u001b[K\n")).toBe(true);
  expect(stdout).not.toContain("row 24");
  expect(stdout.endsWith("\u001b[K\u001b[J\u001b[?25h\u001b[?1049l")).toBe(true);
  expect(captureOutput().output.openScreen()).toBeUndefined();
  expect(captureOutput({ tty: true, environment: { TERM: "dumb" } }).output.openScreen()).toBeUndefined();
});

it("wraps messages at spaces on a terminal, and breaks neither words nor indented commands and links", () => {
  const { output, written } = captureOutput({ tty: true, columns: 30, color: false });
  output.info("! Install the hook of Paraph with `paraph hook install`.");
  output.info("  paraph receipt call_1 -o receipt.json  # download");
  output.info("Open http://127.0.0.1:7411/login/local?token=1 in a browser");
  expect(written.stderr.split("\n")).toEqual([
    "! Install the hook of Paraph",
    "  with `paraph hook install`.",
    "  paraph receipt call_1 -o receipt.json  # download",
    "Open",
    "http://127.0.0.1:7411/login/local?token=1",
    "in a browser",
    "",
  ]);
});
