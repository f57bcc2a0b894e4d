import { buffer } from "node:stream/consumers";
import { CapabilityError } from "@paraph/core";
import type { FetchMessageObject, FetchQueryObject, ImapFlow, MailboxObject, SearchObject } from "imapflow";
import type { MailboxConfig } from "../config.ts";
import type { MessageReference } from "../messages/message-id.ts";
import { mailFault, messageMissingFault, quoteReply } from "./mail-fault.ts";

/** The folders that the adapter needs by their role. */
export interface MailFolders {
  readonly sent: string;
  readonly drafts: string;
}

/**
 * One connection to the IMAP server, for one call. Every method throws a fault if the server refuses. `imapflow` returns
 * `false` for a refusal and for a lost connection alike, so the session looks at the connection to tell them apart.
 */
export class ImapSession {
  readonly client: ImapFlow;
  readonly #secrets: readonly string[];
  /** Whether a command that changes something was sent and not answered. */
  #isChanging = false;

  constructor(client: ImapFlow, secrets: readonly string[]) {
    this.client = client;
    this.#secrets = secrets;
  }

  /** Opens a folder. Opens it again if it is open, so that the view of the folder is current. */
  async open(folder: string, mode: "read" | "write" = "read"): Promise<MailboxObject> {
    try {
      return await this.client.mailboxOpen(folder, { readOnly: mode === "read" });
    } catch (error) {
      const { mailboxMissing, responseStatus } = (error ?? {}) as Record<string, unknown>;
      if (mailboxMissing === true || responseStatus === "NO")
        throw mailFault("permanent", "folder-missing", "The mailbox has no such folder. Check its name.");
      throw this.toFault(error);
    }
  }

  /** Opens the folder of a message. Throws if the folder was created again after the reference was made. */
  async openFor(
    { folder, uidValidity }: MessageReference,
    mode: "read" | "write" = "read",
  ): Promise<MailboxObject> {
    const mailbox = await this.open(folder, mode);
    if (String(mailbox.uidValidity) !== uidValidity) throw messageMissingFault();
    return mailbox;
  }

  async fetch(uid: number, query: FetchQueryObject): Promise<FetchMessageObject | undefined> {
    const found = await this.#run(() => this.client.fetchOne(uid, { uid: true, ...query }, { uid: true }));
    if (found) return found;
    this.#requireConnection();
    return undefined;
  }

  async fetchAll(uids: readonly number[], query: FetchQueryObject): Promise<readonly FetchMessageObject[]> {
    if (uids.length === 0) return [];
    const found = await this.#run(() =>
      this.client.fetchAll([...uids], { uid: true, ...query }, { uid: true }),
    );
    this.#requireConnection();
    return found;
  }

  /** Downloads one part of a message of the open folder, decoded, up to this size. */
  async download(uid: number, part: string, maxBytes: number): Promise<Buffer> {
    return this.#run(async () => {
      const { content } = await this.client.download(uid, part, { uid: true, maxBytes });
      if (!content) throw messageMissingFault();
      return buffer(content);
    });
  }

  /** Returns the UIDs of the matching messages in the open folder, in ascending order. */
  async search(query: SearchObject): Promise<readonly number[]> {
    const found = await this.#run(() => this.client.search(query, { uid: true }));
    if (!Array.isArray(found)) throw this.#toRefusal("The server refused the search.");
    return found.toSorted((a, b) => a - b);
  }

  findByMessageId(messageId: string): Promise<readonly number[]> {
    return this.search({ header: { "message-id": messageId } });
  }

  /** Appends a message to a folder, and returns its UID. */
  async append(folder: string, content: Buffer, flags: readonly string[]): Promise<number> {
    // `imapflow` drops the flags that the open folder does not take.
    await this.open(folder, "write");
    const { uid } = await this.#change(() => this.client.append(folder, content, [...flags]), "the message");
    if (uid === undefined) throw this.#unsupported();
    return uid;
  }

  /** Moves a message of the open folder. Returns the new UID and the UIDVALIDITY of its folder, if the server tells. */
  async move(uid: number, folder: string): Promise<MessageReference | undefined> {
    const { uidMap, uidValidity } = await this.#change(
      () => this.client.messageMove(uid, folder, { uid: true }),
      "the move",
    );
    const moved = uidMap?.get(uid);
    return moved === undefined || uidValidity === undefined
      ? undefined
      : { uid: moved, uidValidity: String(uidValidity), folder };
  }

  /** Deletes one message of the open folder, and no other. */
  async remove(uid: number): Promise<void> {
    await this.#change(() => this.client.messageDelete(uid, { uid: true }), "the deletion");
  }

  async addFlags(uid: number, flags: readonly string[]): Promise<void> {
    if (flags.length > 0)
      await this.#change(() => this.client.messageFlagsAdd(uid, [...flags], { uid: true }), "the labels");
  }

  async removeFlags(uid: number, flags: readonly string[]): Promise<void> {
    if (flags.length > 0)
      await this.#change(() => this.client.messageFlagsRemove(uid, [...flags], { uid: true }), "the labels");
  }

  /** Returns the folders of sent messages and of drafts. A folder that is configured need not be marked. */
  async findFolders(configured: MailboxConfig["folders"]): Promise<MailFolders> {
    const all = await this.#run(() => this.client.list());
    const find = (role: keyof MailFolders, use: string) => {
      const name = configured[role];
      const found = all.find(({ path, specialUse }) =>
        name === undefined ? specialUse === use : path === name,
      );
      if (found) return found.path;
      throw mailFault(
        "permanent",
        "folder-missing",
        `The mailbox has no folder for \`${role}\`. Create it, or name it in \`folders\`.`,
      );
    };
    return { sent: find("sent", "\\Sent"), drafts: find("drafts", "\\Drafts") };
  }

  /**
   * Throws if the server lacks UIDPLUS. Without it, the server does not tell the UID of a new message, and can delete
   * only all messages that anyone marked as deleted.
   */
  requireUidPlus(): void {
    const { capabilities } = this.client;
    if (!capabilities.has("UIDPLUS") && !capabilities.has("IMAP4rev2") && !capabilities.has("IMAP4REV2"))
      throw this.#unsupported();
  }

  /** Classifies an error. An error without a reply to a change is ambiguous. */
  toFault(error: unknown): CapabilityError {
    if (error instanceof CapabilityError) return error;
    const { responseStatus, responseText } = (error ?? {}) as Record<string, unknown>;
    if (responseStatus === "NO" || responseStatus === "BAD")
      return mailFault(
        "permanent",
        "imap-refused",
        `The IMAP server refused the command.${quoteReply(responseText, this.#secrets)}`,
      );
    return mailFault(
      this.#isChanging ? "ambiguous" : "not-performed",
      "connection-lost",
      this.#isChanging
        ? "The connection to the IMAP server ended before the server confirmed the change."
        : "The connection to the IMAP server ended before anything was changed.",
    );
  }

  async #change<T>(command: () => Promise<T | false | undefined>, what: string): Promise<T> {
    this.#isChanging = true;
    const done = await this.#run(command);
    if (done === false || done === undefined)
      throw this.#toRefusal(
        `The IMAP server refused ${what}. Check the rights and the quota of the mailbox.`,
      );
    this.#isChanging = false;
    return done;
  }

  async #run<T>(command: () => Promise<T>): Promise<T> {
    try {
      return await command();
    } catch (error) {
      throw this.toFault(error);
    }
  }

  #requireConnection(): void {
    if (!this.client.usable) throw this.toFault(undefined);
  }

  #toRefusal(message: string): CapabilityError {
    return this.client.usable ? mailFault("permanent", "imap-refused", message) : this.toFault(undefined);
  }

  #unsupported(): CapabilityError {
    return mailFault(
      "permanent",
      "server-unsupported",
      "The IMAP server does not support UIDPLUS (RFC 4315), which changes need. Reading works without it.",
    );
  }
}
