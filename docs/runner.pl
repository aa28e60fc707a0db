#!/usr/bin/env perl
# A whole runner of contract 4 (harness/contract.md), with the library that it drives: Tiny, in sync and batching.
use strict;
use warnings;
use IO::Socket::INET;
use JSON::PP qw(decode_json encode_json);
use MIME::Base64 qw(encode_base64);
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID);

# The library: it connects when it has something to send, and anew after its connection was lost.
package Tiny {
    sub new { my ($class, %server) = @_; return bless { %server, queued => '' }, $class }
    sub connect { my ($self) = @_;
        $self->{socket} = IO::Socket::INET->new(PeerAddr => $self->{host}, PeerPort => $self->{port})
            or die "Tiny: $@\n";
        my @credentials = grep { defined } @$self{qw(username password)};
        $self->command('AUTH', @credentials) if @credentials;
        $self->command('SELECT', $self->{database}) if $self->{database};
    }
    sub queue { my ($self, @words) = @_;
        $self->{queued} .= '*' . @words . "\r\n" . join '', map { '$' . length . "\r\n$_\r\n" } @words;
    }
    sub flush { my ($self, $count) = @_;
        (my $queued, $self->{queued}) = ($self->{queued}, '');
        $self->connect unless $self->{socket};
        my @replies = eval {
            syswrite $self->{socket}, $queued or die "Tiny: $!\n";
            map { $self->reply } 1 .. $count;
        };
        if (@replies < $count) { delete $self->{socket}; die $@ }
        my ($error) = grep { ref eq 'Tiny::Error' } @replies;
        die "Tiny: $$error\n" if $error;
        return @replies;
    }
    sub command { my ($self, @words) = @_; $self->queue(@words); return ($self->flush(1))[0] }
    sub reply { my ($self) = @_;
        my $line = readline($self->{socket}) // '';
        $line =~ s/\r\n\z// or die "Tiny: the server closed the connection\n";
        my ($type, $rest) = (substr($line, 0, 1), substr $line, 1);
        return bless \$rest, 'Tiny::Error' if $type eq '-';
        return $rest if $type eq '+';
        return $rest + 0 if $type eq ':';
        return undef if $rest < 0;
        return [map { $self->reply } 1 .. $rest] if $type eq '*';
        read($self->{socket}, my $bulk, $rest + 2) == $rest + 2 or die "Tiny: the server closed the connection\n";
        my $value = substr $bulk, 0, $rest;
        return \$value;    # a reference: bytes, not a status
    }
}

package main;
$| = 1;
$SIG{PIPE} = 'IGNORE';

sub answer { print encode_json(shift), "\n" }

# Every command as a list of words, made before the first slice; equal values are one scalar.
sub commands { my ($path) = @_;
    open my $file, '<:raw', $path or die "$path: $!\n";
    my $header = decode_json(scalar readline $file);
    my $rest = do { local $/; readline $file };
    my @steps = unpack 'v*', substr $rest, 0, 2 * $header->{commands};
    my $end = length $rest;
    $end -= $_ for @{ $header->{values} };
    my $next_key = 2 * $header->{commands};
    my @values = map { my $value = substr $rest, $end, $_; $end += $_; $value } @{ $header->{values} };
    my @commands;
    for my $step (map { $header->{steps}[$_] } @steps) {
        my ($kind, @left) = ($header->{kinds}[$step->[0]], @$step[1 .. $#$step]);
        my @words = ($kind->{name});
        for my $argument (@{ $kind->{arguments} }) {
            if (ref $argument) { push @words, $argument->{literal} }
            elsif ($argument eq 'value') { push @words, $values[shift @left] }
            else { push @words, substr $rest, $next_key, $header->{key_bytes}; $next_key += $header->{key_bytes} }
        }
        push @commands, \@words;
    }
    return \@commands;
}

sub encoded { my ($reply) = @_;
    return { bytes => encode_base64($$reply, '') } if ref $reply eq 'SCALAR';
    return ref $reply ? [map { encoded($_) } @$reply] : $reply;
}

sub moment {
    return [map { int($_ * 1e9) } clock_gettime(CLOCK_MONOTONIC), clock_gettime(CLOCK_PROCESS_CPUTIME_ID), 0];
}

my ($trial, $commands, $length, $depth, @storage, $kept, $dropped, @counts);
my ($tiny, $at, %errors, $first_error);

# Lets go of the trial before, whose connection ends with it, and prepares this one.
sub load { ($trial) = @_;
    undef $tiny;
    $commands = commands($trial->{workload});
    $length = @$commands;
    $depth = $trial->{shape}{depth} // 1;
    @storage = (0) x $trial->{samples};
    ($kept, $dropped, @counts) = (0, 0);
    return { contract => 4, versions => { tiny => '1.0', Perl => sprintf '%vd', $^V }, settings => {} };
}

# One command, or `depth` of them in one flush.
sub unit {
    $tiny->queue(@{ $commands->[ ($at + $_) % $length ] }) for 0 .. $depth - 1;
    $at = ($at + $depth) % $length;
    return $tiny->flush($depth);
}

# Performs units until `until`: one clock reading ends a unit and starts the next.
sub perform { my ($until, $keep) = @_;
    my $units = 0;
    my $start = clock_gettime(CLOCK_MONOTONIC);
    do {
        my $worked = eval { unit(); 1 };
        my $now = clock_gettime(CLOCK_MONOTONIC);
        if ($worked) {
            $units++;
            if ($keep) { if ($kept < @storage) { $storage[$kept++] = $now - $start } else { $dropped++ } }
        } else {
            $errors{Tiny}++;
            $first_error //= $@;
        }
        $start = $now;
    } while ($start < $until);
    return $units;
}

sub work { my ($order) = @_;
    %errors = ();
    $first_error = undef;
    $at = $order->{first}[0];
    my $before = $kept;
    my $started = moment();
    my $lead_in = $order->{lead_in_ns} ? perform(($started->[0] + $order->{lead_in_ns}) / 1e9, 0) : 0;
    my $measured_from = moment();
    my $measured = perform(($measured_from->[0] + $order->{ns}) / 1e9, $order->{keep});
    my $ended = moment();
    push @counts, $kept - $before if $order->{keep};
    return { started => $started, measured_from => $measured_from, ended => $ended, lead_in => [$lead_in],
        measured => [$measured], errors => {%errors}, first_error => $first_error, cache => undef };
}

sub echo { my ($order) = @_;
    $at = $order->{first};
    my @replies;
    push @replies, map { encoded($_) } unit() while @replies < $order->{commands};
    return \@replies;
}

sub samples {
    my $packed = pack 'd<*', map { $_ * 1e9 } @storage[0 .. $kept - 1];
    my $taken = { latencies => encode_base64($packed, ''), counts => [@counts], dropped => $dropped };
    ($kept, $dropped, @counts) = (0, 0);
    return $taken;
}

while (my $line = <STDIN>) {
    my $order = decode_json($line);
    if ($order->{client}) { answer({ loaded => load($order) }) }
    elsif ($order->{connect}) { $tiny = Tiny->new(%{ $trial->{server} }); $tiny->connect; answer({ connected => {} }) }
    elsif ($order->{echo}) { answer({ replies => echo($order->{echo}) }) }
    elsif ($order->{work}) { answer({ worked => work($order->{work}) }) }
    else { answer({ samples => samples() }) }
}
