/** Describes how a vote was given, such as `without passkey, in Slack`. */
export function describeVoteMeans({
  proof,
  via,
}: {
  readonly proof?: unknown;
  readonly via?: unknown;
}): string {
  return `${proof === undefined ? "without passkey" : "with passkey"}, ${describeVoteChannel(via)}`;
}

/** Describes where a vote was given. Paraph records the channel only if it is mail or Slack. */
export function describeVoteChannel(via: unknown): string {
  return via === undefined ? "in Paraph or through its API" : (channels[String(via)] ?? `by ${via}`);
}

const channels: Readonly<Record<string, string>> = {
  mail: "by a reply to a mail",
  slack: "in Slack",
};
