// Completes code samples with the address of this server, and copies them.
const root = document.documentElement.dataset.root ?? '';
const server = new URL(root === '' ? './' : root, location.href).href.replace(/\/$/, '');

for (const place of document.querySelectorAll('.sample .server')) {
  place.textContent = server;
}

for (const button of document.querySelectorAll('.sample .copy')) {
  if (button instanceof HTMLButtonElement) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      const text = button.parentElement?.querySelector('pre')?.textContent ?? '';
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = 'Copied';
      } catch {
        button.textContent = 'Copying failed';
      }
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
  }
}
