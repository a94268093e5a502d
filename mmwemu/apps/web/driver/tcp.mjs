// TCP counters of the kernel in this network namespace, which is the client's.
import { readFileSync } from 'node:fs';

function counter(file, table, name) {
  const [names, values] = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`${table}: `))
    .map((line) => line.split(' '));
  const at = names.indexOf(name);
  return at < 0 ? null : Number(values[at]);
}

// Retransmitted packets so far: all, and SYN and SYN-ACK only.
export function retransmissions() {
  return {
    segments: counter('/proc/net/snmp', 'Tcp', 'RetransSegs'),
    syns: counter('/proc/net/netstat', 'TcpExt', 'TCPSynRetrans'),
  };
}
