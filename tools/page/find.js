// Finds the elements of the page.

/** The element with this id; the page has it. */
export const find = (id) => document.getElementById(id);
