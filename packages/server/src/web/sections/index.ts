import { renderApprovalPage } from "./approval.ts";
import { renderBundlePage } from "./bundle.ts";
import { renderCallPage } from "./call.ts";
import { renderEditPage } from "./edit.ts";
import { stylesheetPath } from "./frame.ts";
import { renderInboxPage } from "./inbox.ts";
import { renderNoticePage } from "./notice.ts";
import { pagesStylesheet } from "./stylesheet.ts";
import { renderUnknownsPage } from "./unknowns.ts";

/** The pages for people, as plain text of HTML: functions of what they show and nothing else. */
export const pages = {
  approval: renderApprovalPage,
  bundle: renderBundlePage,
  call: renderCallPage,
  edit: renderEditPage,
  inbox: renderInboxPage,
  notice: renderNoticePage,
  unknowns: renderUnknownsPage,
  stylesheet: pagesStylesheet,
  stylesheetPath,
};
