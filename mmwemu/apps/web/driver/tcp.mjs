// What the kernel counts of TCP in this network namespace, which is the client's.
import { readFileSync } from 'node:fs';

function counter(file, table, name) {
  const [names, values] = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`${table}: `))
    .map((line) => line.split(' '));
  const at = names.indexOf(name);
  return at < 0 ? null : Number(values[at]);
}

// Retransmissions so far: all, and of SYN and SYN-ACK.
export function retransmissions() {
  return {
    segments: counter('/proc/net/snmp', 'Tcp', 'RetransSegs'),
    syns: counter('/proc/net/netstat', 'TcpExt', 'TCPSynRetrans'),
  };
}
