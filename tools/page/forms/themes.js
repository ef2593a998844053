// The themes of the examples: style declarations for the form, applied and displayed.

/** @type {Record<string, Record<string, string>>} */
export const themes = {
  light: { 'color-scheme': 'light', color: '#1b2528', background: '#ffffff' },
  dark: { 'color-scheme': 'dark', color: '#e8ecea', background: '#14191c' },
  own: {
    'color-scheme': 'light',
    color: '#2c1a45',
    background: '#f6f0ff',
    '--tollgate-accent': '#7a2fd0',
    '--tollgate-good': '#0b6f6a',
    '--tollgate-surface': '#ffffff',
    '--tollgate-line': '#d3bff0',
    '--tollgate-edge': '#8567ad',
    '--tollgate-track': '#e9ddf7',
    '--tollgate-radius': '1.25rem',
  },
};

/** The declarations as a style sheet rule. */
export function ruleOf(declarations) {
  const lines = Object.entries(declarations).map(([name, value]) => `  ${name}: ${value};\n`);
  return `form {\n${lines.join('')}}`;
}
