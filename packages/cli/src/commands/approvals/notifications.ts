import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";

export interface NotificationOptions {
  readonly channels?: string;
  /** `22:00-07:00`, or false for none. */
  readonly quiet?: string | false;
  readonly timeZone?: string;
  readonly pierce?: string;
}

interface Preferences {
  readonly channels?: readonly string[];
  readonly quiet?: {
    readonly from: string;
    readonly until: string;
    readonly timeZone: string;
    readonly pierce: string;
  };
}

type Settings = Preferences & {
  readonly available: readonly {
    readonly channel: string;
    readonly address?: string;
    readonly devices?: readonly { readonly name: string }[];
  }[];
};

const path = "/v1/me/notifications";

/** Shows the person's notification preferences, or changes those that the options name. */
export async function showNotifications(context: Context, options: NotificationOptions): Promise<ExitCode> {
  const client = createApiClient(await resolveConnection(context, "person"), context.signal);
  const before = await client.request<Settings>(path);
  const isChange = Object.keys(options).length > 0;
  const settings = isChange
    ? await client.request<Settings>(path, { method: "PUT", body: applyOptions(before, options) })
    : before;
  if (context.json) context.output.json(settings);
  else for (const line of describeSettings(settings)) context.output.data(line);
  return exitCode.ok;
}

function applyOptions({ channels, quiet }: Settings, options: NotificationOptions): Preferences {
  const chosen = options.channels === undefined ? channels : parseChannels(options.channels);
  const hours = options.quiet === false ? undefined : changeQuiet(quiet, options);
  return { ...(chosen && { channels: chosen }), ...(hours && { quiet: hours }) };
}

/** Returns the channels, undefined for all of them, or an empty list for none. */
function parseChannels(text: string): readonly string[] | undefined {
  if (text === "all") return undefined;
  return text === "none" ? [] : text.split(",").map((name) => name.trim());
}

function changeQuiet(quiet: Preferences["quiet"], options: NotificationOptions): Preferences["quiet"] {
  const { timeZone, pierce } = options;
  const span =
    typeof options.quiet === "string" ? /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(options.quiet) : undefined;
  if (span === null) throw usageError("`--quiet` must be two times of day, such as 22:00-07:00.");
  const [, from = quiet?.from, until = quiet?.until] = span ?? [];
  if (from === undefined || until === undefined) {
    if (timeZone === undefined && pierce === undefined) return undefined;
    throw usageError("You have no quiet hours. Pass `--quiet`, such as `--quiet 22:00-07:00`.");
  }
  return {
    from,
    until,
    timeZone: timeZone ?? quiet?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    pierce: pierce ?? quiet?.pierce ?? "high",
  };
}

function describeSettings({ available, channels, quiet }: Settings): readonly string[] {
  const lines = available.map(({ channel, address, devices }) => {
    const isOn = channels === undefined || channels.includes(channel);
    const where = devices ? describeDevices(devices) : address;
    return `${channel}: ${isOn ? "on" : "off"}, ${where ?? "no address (an administrator can add one)"}`;
  });
  const pierce = {
    high: "except for high and critical urgency",
    critical: "except for critical urgency",
    none: "without exception",
  }[quiet?.pierce ?? "high"];
  return [
    ...(lines.length > 0 ? lines : ["No channel is configured."]),
    quiet
      ? `Quiet hours: ${quiet.from} to ${quiet.until} (${quiet.timeZone}), ${pierce}`
      : "Quiet hours: none",
  ];
}

function describeDevices(devices: readonly { readonly name: string }[]): string {
  if (devices.length === 0) return "no device (add one on the page /notifications)";
  return devices.map(({ name }) => name).join(", ");
}
