import { schemaFaults } from "@paraph/core";
import { z } from "zod";
import type { ChannelConfig, HandleContext } from "../channel.ts";
import { handleRequest } from "./events-api.ts";
import { openSlack } from "./send-slack.ts";
import { createSlackClient, type SlackClient } from "./slack-client.ts";
import { listenBySocket } from "./socket-mode.ts";

/** The options of the Slack channel. */
export interface SlackOptions {
  /** The name of the secret that holds the bot token (`xoxb-…`). */
  readonly secret: string;
  /** The name of the secret that holds the app-level token (`xapp-…`), for Socket Mode. */
  readonly appSecret?: string;
  /** The name of the secret that holds the signing secret, for requests that Slack sends to this server. */
  readonly signingSecret?: string;
  /** The id of a Slack channel that gets the requests of `tenant`. Without it, each person gets direct messages. */
  readonly channel?: string;
  /** The tenant whose requests the Slack channel gets. */
  readonly tenant?: string;
  /** The address of the Web API (default: `https://slack.com/api/`). */
  readonly url?: string;
  /** The maximum number of messages per minute to all recipients together. */
  readonly maxPerMinute?: number;
  /** The maximum number of messages per minute to one recipient. */
  readonly maxPerRecipient?: number;
}

const count = z.int().min(1).max(1_000_000);
const secretName = z.string().min(1);

const slackSchema = z
  .strictObject({
    secret: secretName,
    appSecret: secretName.optional(),
    signingSecret: secretName.optional(),
    channel: z
      .string()
      .regex(/^[CG][A-Z0-9]{1,31}$/, "expected the id of a channel, such as `C0123ABCD`, and not its name")
      .optional(),
    tenant: z.string().min(1).optional(),
    url: z
      .string()
      .refine(
        isApiUrl,
        "expected an `https` address that ends with `/`, without a user or password, such as `https://slack.com/api/`",
      )
      .optional(),
    maxPerMinute: count.optional(),
    maxPerRecipient: count.optional(),
  } satisfies Record<keyof SlackOptions, z.ZodType>)
  .refine(({ appSecret, signingSecret }) => (appSecret === undefined) !== (signingSecret === undefined), {
    message: "needs either `appSecret` (Socket Mode) or `signingSecret` (requests from Slack to this server)",
  })
  .refine(({ channel, tenant }) => (channel === undefined) === (tenant === undefined), {
    path: ["tenant"],
    message: "`channel` and `tenant` belong together: only this tenant's requests go to the Slack channel",
  });

/** The path to which Slack sends its requests. */
export const slackPath = "/slack/events";

/** Tells approvers in Slack, and lets people with a linked account decide there. */
export function slack(options: SlackOptions): ChannelConfig {
  const { secret, appSecret, signingSecret, channel, tenant } = options;
  let client: SlackClient | undefined;
  const connect = (context: Pick<HandleContext, "credential">) => {
    client ??= createSlackClient(options, context);
    return client;
  };
  return {
    name: "slack",
    maxPerMinute: options.maxPerMinute ?? 300,
    maxPerRecipient: options.maxPerRecipient ?? 20,
    secrets: [secret, appSecret, signingSecret].filter((name) => name !== undefined),
    faults: schemaFaults(slackSchema, options),
    updatesInPlace: true,
    ...(channel !== undefined && tenant !== undefined && { place: { tenant, address: channel } }),
    open(context) {
      const opened = connect(context);
      return {
        ...openSlack(opened),
        async close() {
          client = undefined;
          await opened.close();
        },
      };
    },
    ...(appSecret !== undefined && {
      listen: (context) => listenBySocket(connect(context), appSecret, context),
    }),
    ...(signingSecret !== undefined && {
      inbound: {
        path: slackPath,
        handle: (request, context) => handleRequest(request, signingSecret, connect(context), context),
      },
    }),
  };
}

function isApiUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password, pathname, search } = new URL(address);
  return (
    (protocol === "https:" || (protocol === "http:" && hostname === "127.0.0.1")) &&
    username === "" &&
    password === "" &&
    search === "" &&
    pathname.endsWith("/")
  );
}
