import { approvalHtml } from "./approval.ts";
import { bundleHtml } from "./bundle.ts";
import { callHtml } from "./call.ts";
import { editHtml } from "./edit.ts";
import { stylesheetPath } from "./frame.ts";
import { inboxHtml } from "./inbox.ts";
import { noticeHtml } from "./notice.ts";
import { stylesheet } from "./stylesheet.ts";
import { unknownsHtml } from "./unknowns.ts";

/** The pages for people, as plain text of HTML: functions of what they show and nothing else. */
export const pages = {
  approval: approvalHtml,
  bundle: bundleHtml,
  call: callHtml,
  edit: editHtml,
  inbox: inboxHtml,
  notice: noticeHtml,
  unknowns: unknownsHtml,
  stylesheet,
  stylesheetPath,
};
