import { z } from "zod";

/** The parts of Slack's payloads that Paraph reads. Everything else in them is ignored. */
const id = z.string().regex(/^[A-Z0-9]{1,32}$/);
const messageTime = z.string().regex(/^\d{1,12}\.\d{1,9}$/);

const subject = z.object({ tenant: z.string(), approval: z.string(), digest: z.string() });
/** A subject with the message that its dialog belongs to. */
const dialogSubject = subject.extend({ message: z.string() });

function jsonOf<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .max(3_000)
    .transform((value, context) => {
      try {
        return JSON.parse(value) as unknown;
      } catch {
        context.addIssue("invalid JSON");
        return z.NEVER;
      }
    })
    .pipe(schema);
}

const user = z.object({ id, team_id: id.optional() });
const team = z.object({ id }).nullish();

/** A person pressed a button of a message. */
export const pressSchema = z.object({
  type: z.literal("block_actions"),
  user,
  team,
  trigger_id: z.string(),
  container: z.object({ type: z.literal("message"), channel_id: id, message_ts: messageTime }),
  actions: z.tuple([
    z.object({
      action_id: z.enum(["approve", "deny", "return", "acknowledge"]),
      value: jsonOf(subject),
    }),
  ]),
});

/** A person submitted a dialog. */
export const submissionSchema = z.object({
  type: z.literal("view_submission"),
  user,
  team,
  view: z.object({
    callback_id: z.enum(["approve", "deny", "return"]),
    private_metadata: jsonOf(dialogSubject),
    state: z
      .object({
        values: z
          .object({
            reason: z.object({ text: z.object({ value: z.string().max(2_000).nullish() }) }).optional(),
          })
          .optional(),
      })
      .optional(),
  }),
});

/** A person wrote in the thread of a message, or to the app itself. Messages of bots, and changes of messages, do not match. */
export const commentSchema = z.object({
  type: z.literal("event_callback"),
  team_id: id,
  event: z.object({
    type: z.literal("message"),
    subtype: z.enum(["file_share", "thread_broadcast"]).optional(),
    bot_id: z.undefined().optional(),
    user: id,
    user_team: id.optional(),
    source_team: id.optional(),
    channel: id,
    /** Missing for a message outside of a thread. */
    thread_ts: messageTime.optional(),
    ts: messageTime,
    text: z.string(),
  }),
});

/** Slack checks that this server answers at the address. */
export const challengeSchema = z.object({
  type: z.literal("url_verification"),
  challenge: z.string().max(1_000),
});

export type Press = z.output<typeof pressSchema>;
export type Submission = z.output<typeof submissionSchema>;
export type Comment = z.output<typeof commentSchema>;
