package runner

// An EagerAdapter says whether a client connects as it is made; those of others connect in Open.
type EagerAdapter interface {
	ConnectsWhenMade() bool
}

// started says how long each stage of a cold start took, in ns.
type started struct {
	MainNs    int64             `json:"main_ns"`
	CreateNs  int64             `json:"create_ns"`
	ConnectNs *int64            `json:"connect_ns,omitempty"`
	FirstNs   int64             `json:"first_ns"`
	Reply     any               `json:"reply"`
	Versions  map[string]string `json:"versions"`
}

// coldStart takes the library to its first reply. It is a part of the program, which begins with what it initializes.
func (c *conductor) coldStart(trial *Trial) (*started, error) {
	commands, err := readCommands(trial.Workload)
	if err != nil {
		return nil, err
	}
	stages, replies := &started{MainNs: beganAtNs, Versions: c.versions(trial.Client)}, Replies{isKept: true}
	var adapter Adapter
	var client Client
	if stages.CreateNs, err = timed(func() (err error) {
		if adapter, err = c.load(trial, commands); err == nil {
			client, err = adapter.Connect(1)
		}
		return err
	}); err != nil {
		return nil, err
	}
	defer client.Close()
	eager, isEager := adapter.(EagerAdapter)
	if !isEager || !eager.ConnectsWhenMade() {
		ns, err := timed(func() error { return client.Open(1) })
		if err != nil {
			return nil, err
		}
		stages.ConnectNs = &ns
	}
	replies.null = adapter.Null()
	command := client.Command()
	if stages.FirstNs, err = timed(func() error { return command(0, &replies) }); err != nil {
		return nil, err
	}
	stages.Reply = replies.kept[0]
	return stages, nil
}

// timed returns how long a stage took.
func timed(stage func() error) (int64, error) {
	beganNs := nowNs()
	err := stage()
	return nowNs() - beganNs, err
}
