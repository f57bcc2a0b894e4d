/** With fifty tools each, a thousand. */
export const serverCount = 20;
