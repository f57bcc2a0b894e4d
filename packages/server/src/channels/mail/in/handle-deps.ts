import type { ReplyToken } from "../../../postgres/index.ts";
import type { HandleContext } from "../../channel.ts";
import type { MailOptions, ReplyOptions } from "../options.ts";
import type { RequestDeps } from "../requests/handle-request.ts";
import type { HandleMailDeps } from "./handle-mail.ts";
import type { ResolveDns } from "./sender-proof.ts";

/** The options of the mail channel with replies. */
export type RepliesOptions = MailOptions & { readonly replies: ReplyOptions };

/** Larger mails are not read. A reply is small, even with a picture in its signature. */
export const maxMailBytes = 5_000_000;

/** Creates the dependencies with which replies are handled, wherever they come from. */
export function createHandleDeps(
  { from, replies: options, requests }: RepliesOptions,
  context: HandleContext,
  resolve: ResolveDns,
): HandleMailDeps {
  const { ports, notices, replies, messageStore, announceChange, log } = context;
  const findReachable = async (tenant: string, person: string) =>
    (await notices.listPeople(tenant, "mail", { ids: [person], limit: 1 }))[0];
  const own = [from, options.address, requests?.address ?? []].flat().map((one) => one.toLowerCase());
  const proof = { arcSealers: options.arcSealers ?? [], resolve, now: () => ports.clock.now(), own };
  const requestDeps: RequestDeps | undefined = requests && {
    ...proof,
    address: requests.address,
    options: requests,
    findToken: (digest) => replies.findToken(digest),
    findReachable,
    mailRequests: context.mailRequests,
    intents: context.intents,
    requestCall: context.requestCall,
    undoCall: context.undoCall,
    ...{ ports, replies, log },
  };
  return {
    ...proof,
    address: options.address,
    ...(requestDeps && { requests: requestDeps }),
    async findToken(digest) {
      const token = await replies.findToken(digest);
      return token?.request === null ? token : undefined;
    },
    findRecipient: ({ tenant, recipient }: ReplyToken) => findReachable(tenant, recipient),
    async findCall({ tenant, call: id }) {
      const call = await ports.store.load({ tenant, call: id });
      const found = call && ports.catalog.find(tenant, call.capability);
      const contract = found?.contractDigest === call?.contractDigest ? found?.contract : undefined;
      return call && { call, contract };
    },
    ...{ ports, messageStore, announceChange, replies, log },
  };
}
