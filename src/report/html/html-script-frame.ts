/** The part of the script that every page has: two helpers, and the button that changes between dark and light. */
export const FRAME_SCRIPT = `
const root = document.documentElement;
root.classList.add('js');
const $ = (id) => document.getElementById(id);
const make = (tag, properties = {}, parent) => {
  const element = Object.assign(document.createElement(tag), properties);
  parent?.append(element);
  return element;
};
for (const element of document.querySelectorAll('.needs-script')) element.hidden = false;

const theme = $('theme');
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : systemIsDark.matches);
const nameTheme = () => { theme.textContent = isDark() ? 'light colors' : 'dark colors'; };
theme.addEventListener('click', () => { root.dataset.theme = isDark() ? 'light' : 'dark'; nameTheme(); });
systemIsDark.addEventListener('change', nameTheme);
nameTheme();
`
