import { pagesStylesheet } from "../html/stylesheet.ts";
import { renderApprovalPage } from "./approval-page.ts";
import { renderBundlePage, renderBundleResultPage } from "./bundle-page.ts";
import { renderCallPage } from "./call-page.ts";
import { renderDecidedPage } from "./decided-page.ts";
import { renderEditPage } from "./edit-page.ts";
import { renderInboxPage } from "./inbox-page.ts";
import { stylesheetPath } from "./layout.ts";
import { renderNoticePage } from "./notice-page.ts";
import { renderNotificationsPage } from "./notifications-page.ts";
import { renderPasskeysPage } from "./passkeys-page.ts";
import { renderReceiptPage } from "./receipt-page.ts";
import { renderSlackLinkPage } from "./slack-link-page.ts";
import { renderUnknownsPage } from "./unknowns-page.ts";

/** The pages for people. Each is a pure function from its data to HTML text. */
export const pages = {
  approval: renderApprovalPage,
  bundle: renderBundlePage,
  bundleResult: renderBundleResultPage,
  call: renderCallPage,
  decided: renderDecidedPage,
  edit: renderEditPage,
  inbox: renderInboxPage,
  notice: renderNoticePage,
  notifications: renderNotificationsPage,
  passkeys: renderPasskeysPage,
  receipt: renderReceiptPage,
  slackLink: renderSlackLinkPage,
  unknowns: renderUnknownsPage,
  stylesheet: pagesStylesheet,
  stylesheetPath,
};
