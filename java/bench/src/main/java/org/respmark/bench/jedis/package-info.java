/** Benchmarks of Jedis. */
package org.respmark.bench.jedis;
