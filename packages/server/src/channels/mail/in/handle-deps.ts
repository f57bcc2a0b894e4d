import type { ReplyToken } from "../../../postgres/index.ts";
import type { HandleContext } from "../../channel.ts";
import type { MailOptions, ReplyOptions } from "../options.ts";
import type { HandleDeps } from "./handle-reply.ts";
import type { ResolveDns } from "./sender-proof.ts";

/** The options of the mail channel with replies. */
export type RepliesOptions = MailOptions & { readonly replies: ReplyOptions };

/** Larger mails are not read. A reply is small, even with a picture in its signature. */
export const maxMailBytes = 5_000_000;

/** Creates the dependencies with which replies are handled, wherever they come from. */
export function createHandleDeps(
  { from, replies: options }: RepliesOptions,
  context: HandleContext,
  resolve: ResolveDns,
): HandleDeps {
  const { ports, notices, replies, messageStore, announceChange, log } = context;
  return {
    address: options.address,
    arcSealers: options.arcSealers ?? [],
    own: [from.toLowerCase(), options.address.toLowerCase()],
    resolve,
    now: () => ports.clock.now(),
    findToken: (digest) => replies.findToken(digest),
    findRecipient: async ({ tenant, recipient }: ReplyToken) =>
      (await notices.listPeople(tenant, "mail", { ids: [recipient], limit: 1 }))[0],
    async findCall({ tenant, call: id }) {
      const call = await ports.store.load({ tenant, call: id });
      const found = call && ports.catalog.find(tenant, call.capability);
      const contract = found?.contractDigest === call?.contractDigest ? found?.contract : undefined;
      return call && { call, contract };
    },
    ...{ ports, messageStore, announceChange, replies, log },
  };
}
