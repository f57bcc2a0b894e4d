/** With fifty tools each, a thousand. */
export const servers = 20;
