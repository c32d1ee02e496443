// Writes rows to an SQLite database until it is killed, and prints the number of each acknowledged row.
import { DatabaseSync } from 'node:sqlite';

const [file = '', synchronous = ''] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronous}`);
database.exec('create table if not exists numbers (number integer primary key)');
const insert = database.prepare('insert into numbers (number) values (?)');
for (let number = 1; ; number++) {
  insert.run(number);
  process.stdout.write(`${number}\n`);
}
