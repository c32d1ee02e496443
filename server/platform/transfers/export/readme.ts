/** The page that explains a folder to who finds it. */
export const README = `# An exported organization

- \`repositories/<space>.git\`: the content of each space as a bare Git repository, which \`git clone\` copies. The branch
  \`main\` is the content, and \`change-requests/<number>\` that of a change request.
- \`files/\`: the bytes of all files and images, named by their hash.
- \`resources.ndjson\`: everything else that the organization owns, in the form that the API returned it to an admin. Each
  line has an operation of the API, the values of its path, and the resource.
- \`records/\`: the same for an import, with all that the API does not return.
- \`content/objects.ndjson\`: the complete history of the content, which an import restores.
- \`manifest.json\`: when the folder was written, by which release, and the SHA-256 of each file.

It contains no passwords, tokens or keys, but all content and the email addresses of the members: keep it private.
\`npm run import-organization -- <folder>\` imports it into another server.
`;
