import { approvalHtml } from "./approval.ts";
import { stylesheetPath } from "./frame.ts";
import { inboxHtml } from "./inbox.ts";
import { noticeHtml } from "./notice.ts";
import { stylesheet } from "./stylesheet.ts";

/** The pages for people, as plain text of HTML: functions of what they show and nothing else. */
export const pages = {
  approval: approvalHtml,
  inbox: inboxHtml,
  notice: noticeHtml,
  stylesheet,
  stylesheetPath,
};
