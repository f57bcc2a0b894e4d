import type {
  Call,
  Caller,
  CallRequest,
  Evaluated,
  Json,
  Ports,
  Principal,
  SchemaFault,
  Wake,
} from "@paraph/core";
import type {
  DraftStep,
  IntentAnswer,
  IntentQuestion,
  IntentRecord,
  SealedIntent,
} from "@paraph/core/intents";
import type {
  MailRequestStore,
  MessageStore,
  NoticeStore,
  PushDeviceStore,
  ReplyStore,
  SlackStore,
} from "../postgres/index.ts";
import type { NoticeContent } from "./notice-content.ts";

/** A way to tell people about approvals, such as mail. `channels` in the configuration lists them. */
export interface ChannelConfig {
  /** The name of the channel, which preferences and the record of notices use. */
  readonly name: string;
  /** The maximum number of messages per minute to all recipients together. */
  readonly maxPerMinute: number;
  /** The maximum number of messages per minute to one recipient. */
  readonly maxPerRecipient: number;
  /** The names of the deployment's secrets that the channel uses. */
  readonly secrets: readonly string[];
  /** The faults in the channel's options. */
  readonly faults: readonly SchemaFault[];
  /** The subscription of browsers, for a channel that reaches devices instead of addresses. */
  readonly subscriptions?: SubscriptionRules;
  open(context: ChannelContext): Channel;
  /** Whether people can reply to messages. */
  readonly takesReplies?: boolean;
  /** Whether people can send requests in words. */
  readonly takesRequests?: boolean;
  /** Reads what people send back, until the signal aborts or the connection is lost. */
  readonly receive?: (context: ReceiveContext) => Promise<void>;
  /** Handles what people do in the service of the channel, until the signal aborts or the connection is lost. */
  readonly listen?: (context: ReceiveContext) => Promise<void>;
  /** Handles requests that the service of the channel sends to this server. */
  readonly inbound?: InboundHandler;
  /** A shared place, such as a chat channel, that gets the tenant's notices instead of each person. */
  readonly place?: Place;
  /** Whether a later notice changes the first message, so that every outcome is worth a notice. */
  readonly updatesInPlace?: boolean;
}

/** A shared place that gets notices. Only its one tenant's notices go there. */
export interface Place {
  readonly tenant: string;
  readonly address: string;
}

/** Handles requests at one path of this server. It verifies them itself, because they carry no session and no key. */
export interface InboundHandler {
  readonly path: string;
  handle(request: InboundRequest, context: HandleContext): Promise<InboundResponse>;
}

/** A request from the service of a channel. */
export interface InboundRequest {
  header(name: string): string | undefined;
  readonly body: string;
}

/** The response to a request from the service of a channel. */
export interface InboundResponse {
  readonly status: 200 | 400 | 401 | 503;
  readonly json?: object;
}

/** The means by which browsers subscribe to a channel. */
export interface SubscriptionRules {
  /** Returns the public key to which browsers bind their subscriptions. */
  publicKey(context: Pick<ChannelContext, "credential">): Promise<string>;
  /** Returns whether the channel may send to this address, which a browser named. */
  allowsEndpoint(endpoint: string): boolean;
}

/** The parts of Paraph that a channel uses. */
export interface ChannelContext {
  /** Returns a secret of the deployment. */
  credential(name: string): Promise<string>;
  /** The folder of the configuration. */
  readonly folder: string;
  /** The devices of people, for a channel that reaches devices. */
  readonly devices: PushDeviceStore;
}

/** The parts of Paraph that a channel uses to handle what people do. */
export interface HandleContext extends ChannelContext {
  readonly ports: Ports;
  readonly notices: Pick<NoticeStore, "listPeople">;
  readonly replies: ReplyStore;
  readonly slack: Pick<SlackStore, "findPerson" | "findMessage">;
  readonly messageStore: Pick<MessageStore, "append">;
  readonly mailRequests: MailRequestStore;
  readonly intents: WordsService;
  /** Requests a call of a person, as the API does. */
  readonly requestCall: (request: CallRequest) => Promise<Call>;
  /** Requests the undo of a call of a person, as the API does. */
  readonly undoCall: (call: Call, principal: Principal) => Promise<Call>;
  /** Notifies the waiters of a call and sends its wakes. */
  readonly announceChange: (call: Call, wakes: readonly Wake[]) => Promise<void>;
  /** Returns the URL at which browsers reach this deployment. */
  readonly url: () => string;
  readonly log: (code: string, about?: { tenant?: string; call?: string; cause?: string }) => void;
}

/** Turns the words of a person into a plan. Understanding performs nothing. */
export interface WordsService {
  understand(
    requester: Pick<Caller, "principal" | "scopes">,
    request: RequestWords,
  ): Promise<UnderstoodWords>;
  /** Returns the record of a plan that this deployment understood for this requester, or undefined for any other. */
  openRecord(principal: Principal, plan: Json, sealed: SealedIntent): IntentRecord | undefined;
}

/** The words of a person, with the answers to earlier questions about them. */
export interface RequestWords {
  readonly words: string;
  readonly timeZone?: string | undefined;
  readonly answers?: readonly IntentAnswer[] | undefined;
}

/** The plan, question or refusal that words lead to. */
export type UnderstoodWords =
  | { readonly kind: "plan"; readonly plan: Json; readonly intent: SealedIntent; readonly preview: Evaluated }
  | {
      readonly kind: "question";
      readonly questions: readonly IntentQuestion[];
      readonly steps?: readonly DraftStep[];
    }
  | { readonly kind: "no"; readonly code: string; readonly message: string };

/** The parts of Paraph that a channel uses in the process that owns it. */
export interface ReceiveContext extends HandleContext {
  /** Returns whether this process still owns the channel. */
  readonly isOwner: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** An open channel. It sends messages, and knows nothing of calls or of the record of notices. */
export interface Channel {
  /**
   * Sends a message to one recipient. Paraph repeats a message under the same id if it cannot know whether the earlier
   * attempt succeeded, so a channel passes the id on to the receiver.
   */
  tell(message: ChannelMessage, signal: AbortSignal): Promise<Delivery>;
  close(): Promise<void>;
}

/** One message to one recipient. */
export interface ChannelMessage {
  /** The stable id of the notice. */
  readonly id: string;
  /** When the notice was created, if an earlier attempt may have sent the message. */
  readonly since?: number;
  readonly tenant: string;
  /** The recipient's address in this channel. For a channel that reaches devices, this is the recipient's own id. */
  readonly address: string;
  readonly content: NoticeContent;
  /**
   * The first message about the same call to the same recipient, if this one is not the first. A channel keeps both in
   * one thread, or updates the first one in place.
   */
  readonly thread?: { readonly id: string; readonly since?: number; readonly providerId?: string };
  /** The mail of the recipient that this message answers, so that both are in one thread. */
  readonly answers?: { readonly messageId?: string; readonly subject: string };
  /** Lets the recipient reply. The token names the notice, and `approves` says whether a reply may approve. */
  readonly reply?: { readonly token: string; readonly approves: boolean };
}

/** The result of an attempt to send a message. */
export type Delivery =
  | { readonly kind: "sent"; readonly providerId: string }
  /** `permanent` means that this message to this recipient would fail again. */
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly permanent: boolean;
      /** The time that the service asked Paraph to wait. */
      readonly waitMs?: number;
    };
