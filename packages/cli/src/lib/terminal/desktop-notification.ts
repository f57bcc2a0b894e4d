import { escapeInvisible } from "@paraph/core/escape-invisible";

/**
 * Returns the program that shows a notification on this desktop, or undefined if there is none. The text may come from
 * outside of Paraph, so it is an argument and never part of a script or of markup.
 */
export function findNotifyCommand(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
  { title, text }: { readonly title: string; readonly text: string },
): readonly [program: string, ...args: string[]] | undefined {
  const body = escapeInvisible(text);
  if (platform === "darwin") {
    const script = [
      "on run argv",
      "display notification (item 2 of argv) with title (item 1 of argv)",
      "end run",
    ];
    return ["osascript", ...script.flatMap((line) => ["-e", line]), title, body];
  }
  if (platform !== "linux" || !(environment.DISPLAY || environment.WAYLAND_DISPLAY)) return undefined;
  return ["notify-send", "--app-name=Paraph", "--", title, escapeMarkup(body)];
}

/** Escapes the markup that notifications of Linux desktops may contain. */
function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
